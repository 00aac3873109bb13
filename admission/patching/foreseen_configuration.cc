#include <algorithm>
#include <string>

#include "admission/expressions/native_form.h"
#include "admission/expressions/patches.h"
#include "admission/patching/apply_configuration.h"
#include "admission/patching/decoded.h"
#include "admission/patching/foreseen.h"
#include "admission/patching/outlined_values.h"
#include "admission/patching/type_names.h"
#include "admission/patching/typing.h"
#include "admission/scalars/group_version.h"
#include "interpreter/cel.h"

namespace portcullis::patching {
namespace {

using Sort = Outline::Sort;

constexpr uint64_t kMostConfigurationSteps = 2'000'000;
constexpr size_t kMostTypedFields = 100;  // parts of one configuration with known type and unknown value

// Errors show a null in place of an unknown key.
std::string without_nulls(std::string_view text) {
  std::string out(text);
  for (size_t at = 0; (at = out.find("=null", at)) != out.npos;) out.replace(at, 5, "=...");
  return out;
}

class Configuration {
 public:
  Configuration(const KindSchema& kind, std::vector<Foreseen>& out) : kind_(kind), out_(out) {}

  void check(const Outline& outline, const Selection& selection) {
    Arena::Bounds bounds(arena_, Limits().max_memory, kMostConfigurationSteps);
    try {
      check_one(outline, selection);
    } catch (const std::bad_alloc&) {  // nothing is reported about so large a value
    }
  }

 private:
  void check_one(const Outline& outline, const Selection& selection) {
    // Structured merge accepts an empty optional, which is null, everywhere.
    OutlinedValues values(arena_, selection, Value::optional(nullptr));
    values_ = &values;
    guarded_ = false;
    root_ = &values.settled(outline, &guarded_);
    if (root_->sort != Sort::Object) return;
    Value object = values.of(*root_);
    if (!is_patch_object(object)) return;
    if (!check_type_names(arena_, object).empty()) names(*root_, root_->expr->type->name(), guarded_);
    Value native = native_object(object_fields(object), arena_);
    if (native.is_error())
      return add(root_->expr, root_->place, guarded_, "invalid return type: *dynamic.ObjectVal", "");
    if (!kind_.published) return without_schema();
    std::vector<Misfit> wrong = misfits(arena_, native, *kind_.type);
    for (const Misfit& m : wrong) add_misfit(m);
    for (const Misfit& m : atomic_parts(arena_, native, *kind_.type)) add_atomic(m);
    for (const Misfit& m : wrong) values.instead[values.at(*root_, m.way).outline] = std::nullopt;
    if (kind_.handling == Handling::Decoded) decode();
    if (kind_.handling == Handling::Defaulted) define();
    typed_parts();
  }

  void add(const Expr* part, ExpressionPoint place, bool guarded, std::string text, std::string hint) {
    out_.push_back({part, place, std::move(text), std::move(hint), guarded});
  }

  void without_schema() {
    MapEntry* entries = alloc_entries(arena_, 0);
    Patched refused = apply_configuration(arena_, with_kind(make_map(entries, 0)), values_->of(*root_),
                                          nullptr, true, nullptr);
    if (!refused.ok()) add(root_->expr, root_->place, guarded_, std::string(refused.error), "");
  }

  // Walks as the API server's check of names does: along fields, and items of literal lists and maps.
  void names(const Outline& outline, const std::string& expected, bool guarded) {
    const Outline& o = values_->settled(outline, &guarded);
    if (o.sort == Sort::Object) {
      const std::string& name = o.expr->type->name();
      if (name != expected) {
        TextBuilder text(arena_);
        append_type_name_error(text, name, expected);
        add(o.expr, o.place, guarded, std::string(text.view()), question(expected));
      }
      for (const Outline::Member& m : o.members) names(*m.value, expected + "." + m.name, guarded);
    } else if (o.sort == Sort::Map) {
      for (const Outline::Member& m : o.members) names(*m.value, expected, guarded);
    } else if (o.sort == Sort::List) {
      for (const Outline* item : o.items) names(*item, expected, guarded);
    }
  }

  void add_misfit(const Misfit& m) {
    // Two unknown keys may differ.
    bool repeated = m.text.find("duplicate entries for key ") != m.text.npos;
    if (repeated && m.text.find("=null") != m.text.npos) return;
    OutlinedValues::Spot spot = values_->at(*root_, m.way);
    bool undeclared = m.text.ends_with("field not declared in schema");
    bool named = undeclared && spot.member != nullptr && spot.steps == m.way.size();
    add(spot.outline->expr, named ? spot.member->place : spot.outline->place, guarded_ || spot.guarded,
        without_nulls(m.text),
        undeclared && !m.way.empty() ? question(meant_field(*kind_.type, m.way, '.')) : "");
  }

  void add_atomic(const Misfit& m) {
    OutlinedValues::Spot spot = values_->at(*root_, m.way);
    if (values_->instead.contains(spot.outline)) return;
    add(spot.outline->expr, spot.member != nullptr ? spot.member->place : spot.outline->place,
        guarded_ || spot.guarded, "may not mutate atomic arrays, maps or structs: " + without_nulls(m.text),
        "a JSONPatch can set it as a whole");
  }

  Value with_kind(const Value& native) {
    MapEntry* entries = alloc_entries(arena_, native.size() + 2);
    size_t n = 0;
    for (const MapEntry& e : native.as_map()) {
      bool known = e.key.as_text() == "apiVersion" || e.key.as_text() == "kind";
      if (!known) new (&entries[n++]) MapEntry{e.key, e.value};
    }
    new (&entries[n++]) MapEntry{Value::string("apiVersion"),
                                 Value::string(arena_.copy(join_api_version(kind_.group, kind_.version)))};
    new (&entries[n++]) MapEntry{Value::string("kind"), Value::string(kind_.kind)};
    return make_map(entries, n);
  }

  // The error of decoding the configuration into the struct of the kind; empty if there is none.
  std::string_view decode_error() {
    Value object = values_->of(*root_);
    Value native = native_object(object_fields(object), arena_);
    if (native.is_error() || !misfits(arena_, native, *kind_.type).empty()) return {};
    return decoded_loosely(arena_, *kind_.row, with_kind(native), Parts::Any).error;
  }

  // The error has no path: the wrong part is the one without which the error changes or vanishes.
  void decode() {
    std::string_view error = decode_error();
    std::vector<OutlinedValues::Part> leaves;
    if (!error.empty()) leaves = values_->leaves(*root_);
    for (const OutlinedValues::Part& leaf : leaves) {
      if (error.empty()) return;
      if (leaf.outline->sort != Sort::Constant || values_->instead.contains(leaf.outline)) continue;
      values_->instead[leaf.outline] = std::nullopt;
      std::string_view rest = decode_error();
      if (rest == error) {
        values_->instead.erase(leaf.outline);
        continue;
      }
      add(leaf.outline->expr, leaf.outline->place, guarded_ || leaf.guarded, std::string(error), "");
      error = rest;
    }
  }

  // Reports known values that the definition refuses.
  void define() {
    Value native = native_object(object_fields(values_->of(*root_)), arena_);
    if (native.is_error() || !misfits(arena_, native, *kind_.type).empty()) return;
    for (const auto& [path, text] : definition_problems(arena_, kind_, with_kind(native)).errors) {
      std::vector<Value> way = read_way(arena_, path);
      OutlinedValues::Spot spot = values_->at(*root_, way);
      bool known = spot.steps == way.size() && spot.outline->sort == Sort::Constant;
      if (known && !values_->instead.contains(spot.outline))
        add(spot.outline->expr, spot.outline->place, guarded_ || spot.guarded, text, "");
    }
  }

  // Reports a part of known type if no value of the type fits.
  void typed_parts() {
    size_t count = 0;
    for (const OutlinedValues::Part& part : values_->leaves(*root_)) {
      const Outline& o = *part.outline;
      if (o.sort != Sort::Unknown || values_->instead.contains(&o) || ++count > kMostTypedFields) continue;
      std::string text;
      bool all = true;
      for (const Value& v : exemplars(arena_, o.expr->type)) {
        values_->instead[&o] = v;
        std::string error = error_at(part.way, o.expr->type);
        all = !error.empty();
        if (!all) break;
        if (text.empty()) text = error;
      }
      values_->instead.erase(&o);
      bool atomic = text.starts_with("may not mutate");
      if (all && !text.empty())
        add(o.expr, o.place, guarded_ || part.guarded, text,
            atomic ? "a JSONPatch can set it as a whole" : "");
    }
  }

  // The error of the part at `way`; empty if there is none.
  std::string error_at(const std::vector<Value>& way, const Type* type) {
    Value native = native_object(object_fields(values_->of(*root_)), arena_);
    if (native.is_error()) return {};
    auto same = [&](const Misfit& m) {
      return m.way.size() == way.size() && std::ranges::equal(m.way, way, [](const Value& a, const Value& b) {
               return a.kind() == b.kind() &&
                      (a.is(Kind::Int) ? a.as_int() == b.as_int() : a.as_text() == b.as_text());
             });
    };
    for (const Misfit& m : misfits(arena_, native, *kind_.type)) {
      if (!same(m) || m.text.ends_with("field not declared in schema") ||
          m.text.find("duplicate entries") != m.text.npos)
        continue;
      std::string text = without_nulls(m.text);
      size_t got = text.find(", got ");
      return got == text.npos ? text : text.substr(0, got) + ", got " + format_type(type);
    }
    for (const Misfit& m : atomic_parts(arena_, native, *kind_.type)) {
      if (same(m)) return "may not mutate atomic arrays, maps or structs: " + without_nulls(m.text);
    }
    return kind_.handling == Handling::Decoded ? std::string(decode_error()) : std::string();
  }

  const KindSchema& kind_;
  std::vector<Foreseen>& out_;
  Arena arena_;
  OutlinedValues* values_ = nullptr;
  const Outline* root_ = nullptr;
  bool guarded_ = false;
};

}  // namespace

std::vector<Foreseen> foresee_configuration(Outliner& outliner, const KnownExpression& expression,
                                            const KindSchema& kind) {
  std::vector<Foreseen> out;
  if (kind.handling == Handling::Unknown) return out;
  const Outline& outline = outliner.of(expression);
  Configuration configuration(kind, out);
  for (const Selection& selection : selections_of(outline)) configuration.check(outline, selection);
  sort_foreseen(out);
  return out;
}

}  // namespace portcullis::patching
