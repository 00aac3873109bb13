#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "admission/builtin/decode.h"
#include "admission/expressions/patches.h"
#include "admission/ownership/compare.h"
#include "admission/patching/decoded.h"
#include "admission/patching/foreseen.h"
#include "admission/patching/json_patch.h"
#include "admission/patching/json_value.h"
#include "admission/patching/made_object.h"
#include "admission/patching/outlined_pointer.h"
#include "admission/patching/outlined_values.h"
#include "admission/scalars/spelling.h"
#include "grammar/quote.h"
#include "interpreter/values/structs.h"

namespace portcullis::patching {
namespace {

using ownership::Form;
using ownership::MergeType;
using Sort = Outline::Sort;
using Fit = PointerFit::Sort;

constexpr uint64_t kMostPatchSteps = 10'000'000;
constexpr size_t kMostOperations = 500;  // operations of one patch that are checked
constexpr std::string_view kOperations[] = {"add", "remove", "replace", "move", "copy", "test"};
constexpr size_t kMostTypedValues = 50;  // parts of one value with known type and unknown value

struct Operation {
  OutlinedItem item;
  std::optional<std::string> op;  // nothing: not known
  const Outline* op_outline = nullptr;
  OutlinedPointer path, from;
  PointerFit path_fit, from_fit;
  const Outline* value = nullptr;
  bool moves() const { return op == "move" || op == "copy"; }
};

const Outline* member(const Outline& patch, std::string_view name, const OutlinedValues& values,
                      bool* guarded) {
  const Outline* found = nullptr;
  for (const Outline::Member& m : patch.members) {
    if (m.name == name) found = values.held(m, guarded);
  }
  if (found != nullptr && found->sort == Sort::Optional) found = &values.settled(*found->items[0], guarded);
  return found;
}

// May one name a part of what the other names? What is not given names nothing.
bool overlap(const OutlinedPointer& a, const OutlinedPointer& b) {
  if (a.whole == nullptr || b.whole == nullptr) return false;
  for (size_t i = 0; i < std::min(a.steps.size(), b.steps.size()); ++i) {
    bool named = a.steps[i].sort == OutlinedPointer::Step::Sort::Name &&
                 b.steps[i].sort == OutlinedPointer::Step::Sort::Name;
    if (named && a.steps[i].name != b.steps[i].name) return false;
  }
  return true;
}

class Patch {
 public:
  Patch(const Outliner& outliner, const KindSchema& kind, std::vector<Foreseen>& out)
      : outliner_(outliner), kind_(kind), out_(out) {}

  void check(const Outline& outline, const Selection& selection) {
    Arena::Bounds bounds(arena_, Limits().max_memory, kMostPatchSteps);
    try {
      check_one(outline, selection);
    } catch (const std::bad_alloc&) {  // nothing is reported about so large a value
    }
  }

 private:
  void check_one(const Outline& outline, const Selection& selection) {
    OutlinedValues values(arena_, selection, Value::null());
    values_ = &values;
    guarded_ = false;
    const Outline& root = values.settled(outline, &guarded_);
    OutlinedItems items = items_of(root, selection);
    unknown_ = items.open;
    operations_.clear();
    for (const OutlinedItem& item : items.items) {
      if (operations_.size() == kMostOperations) break;
      add_operation(item, selection);
    }
    tested_ = false;
    for (Operation& o : operations_) check_value(o);
    // A failed test is no error.
    tested_ = std::ranges::any_of(operations_, [](const Operation& o) { return !o.op || o.op == "test"; });
    for (const Operation& o : operations_) {
      if (o.op && !is_known(*o.op) && !o.item.filtered) bad_operation(o);
    }
    if (kind_.type == nullptr) return;
    MadeObject made(arena_, *kind_.type, operations_.size());
    for (const Operation& o : operations_) {
      made.add(o.path, o.path_fit.sort == Fit::Possible ? o.path.steps.size() : o.path_fit.at);
      made.add(o.from, o.from_fit.sort == Fit::Possible ? o.from.steps.size() : o.from_fit.at);
    }
    made_ = &made;
    doubted_.clear();
    run();
  }

  void add(ExpressionPoint place, const Operation& o, bool guarded, std::string text, std::string hint) {
    guarded = guarded || guarded_ || o.item.guarded || tested_;
    out_.push_back({o.item.outline->expr, place, std::move(text), std::move(hint), guarded});
  }

  void add_operation(const OutlinedItem& item, const Selection& selection) {
    if (item.outline->sort != Sort::Patch) {
      bool wrong = item.outline->sort != Sort::Unknown && !item.filtered;
      if (item.outline->sort == Sort::Unknown) unknown_ = true;
      if (!wrong) return;
      Value one = values_->of(*item.outline);
      Patched refused = apply_json_patch(arena_, Value::null(), Value::list(&one, 1));
      if (is_json_patch(one) || refused.ok()) return;
      out_.push_back({item.outline->expr, item.outline->place, std::string(refused.error), "",
                      guarded_ || item.guarded});
      return;
    }
    Operation o{.item = item};
    bool* guarded = &o.item.guarded;
    o.op_outline = member(*item.outline, "op", *values_, guarded);
    if (o.op_outline == nullptr) {
      o.op = "";
    } else if (o.op_outline->sort == Sort::Constant && o.op_outline->constant.is(Kind::String)) {
      o.op = std::string(o.op_outline->constant.as_text());
    }
    o.value = member(*item.outline, "value", *values_, guarded);
    bool grows = o.op == "add" || o.moves();
    auto read = [&](std::string_view name, OutlinedPointer& pointer, PointerFit& fits, bool may_grow) {
      const Outline* text = member(*item.outline, name, *values_, guarded);
      if (text != nullptr) pointer = pointer_of(*text, selection);
      *guarded |= pointer.guarded;
      if (kind_.type != nullptr) fits = fit(pointer, *kind_.type, may_grow);
    };
    read("path", o.path, o.path_fit, grows);
    read("from", o.from, o.from_fit, false);
    operations_.push_back(std::move(o));
  }

  // --- values

  Value patch_value(std::string_view op, std::string_view path, std::string_view from, const Value* value) {
    MapEntry* entries = alloc_entries(arena_, 4);
    size_t n = 0;
    for (auto [name, text] :
         {std::pair<std::string_view, std::string_view>("op", op), {"path", path}, {"from", from}})
      if (!text.empty()) new (&entries[n++]) MapEntry{Value::string(name), Value::string(arena_.copy(text))};
    if (value != nullptr) new (&entries[n++]) MapEntry{Value::string("value"), *value};
    const StructForm* form = patch_types()->find_form("JSONPatch");
    return form->make(*form, {entries, n}, arena_);
  }

  // Why a value has no JSON form; empty if it has one, or if that is unknown.
  std::string_view value_error(const Outline& value) {
    Value v = values_->of(value);
    Value one = patch_value("add", "/x", "", &v);
    return apply_json_patch(arena_, make_map(alloc_entries(arena_, 0), 0), Value::list(&one, 1)).error;
  }

  void check_value(Operation& o) {
    if (o.value == nullptr) return;
    std::string_view error = value_error(*o.value);
    if (error.empty()) return check_go_maps(o);
    for (const OutlinedValues::Part& leaf : values_->leaves(*o.value)) {
      if (leaf.outline->sort != Sort::Constant) continue;
      values_->instead[leaf.outline] = std::nullopt;
      std::string_view rest = value_error(*o.value);
      if (rest == error) {
        values_->instead.erase(leaf.outline);
        continue;
      }
      add(leaf.outline->place, o, leaf.guarded, std::string(error), "");
      if (rest.empty()) return;
      error = rest;
    }
    add(o.value->place, o, false, std::string(error), "");
    o.value = nullptr;
  }

  // Reports maps of Go structs, whose entries are not known.
  void check_go_maps(Operation& o) {
    for (const OutlinedValues::Part& leaf : values_->leaves(*o.value)) {
      if (!outliner_.is_go_map(*leaf.outline)) continue;
      values_->instead[leaf.outline] = make_map(alloc_entries(arena_, 0), 0).with_more_flags(kGoMap);
      const std::string error(value_error(*o.value));
      values_->instead.erase(leaf.outline);
      if (error.empty()) continue;
      add(leaf.outline->place, o, leaf.guarded, error, std::string(kGoMapHint));
      o.value = nullptr;
      return;
    }
  }

  // --- the run

  // Whether an operation that is not fully known may have created or removed the target of `pointer`.
  bool is_doubtful(const OutlinedPointer& pointer) const {
    auto doubted = [&](const Operation* o) { return overlap(o->path, pointer) || overlap(o->from, pointer); };
    return unknown_ || std::ranges::any_of(doubted_, doubted) ||
           std::ranges::any_of(operations_, [&](const Operation& o) {
             auto touches = [&](const OutlinedPointer& p, const PointerFit& fits) {
               return p.whole != nullptr && fits.sort == Fit::Unknown && overlap(p, pointer);
             };
             return touches(o.path, o.path_fit) || touches(o.from, o.from_fit) ||
                    (!o.op && (overlap(o.path, pointer) || overlap(o.from, pointer)));
           });
  }

  struct Problems {
    std::map<std::string, std::string> unknown;  // by path: as strict decoding words it
    std::string error, error_path;
  };
  Problems problems_of(const Value& object) {
    Problems out;
    if (kind_.handling == Handling::Defaulted) {
      for (const std::string& path : definition_problems(arena_, kind_, object).unknown)
        out.unknown.emplace(path, "unknown field " + quote(path) + ": the API server drops it");
    }
    if (kind_.handling != Handling::Decoded) return out;
    std::vector<builtin::UnknownField> unknown;
    builtin::DecodeOptions options;
    options.unknown = &unknown;
    builtin::Decoded decoded = builtin::decode(arena_, *kind_.row, object, options);
    for (const builtin::UnknownField& f : unknown) out.unknown.emplace(f.path, f.text());
    out.error = decoded.error;
    out.error_path = decoded.error_path;
    // An object whose kind a patch has changed is decoded as that kind.
    const builtin::TypeMeta said = kind_in_patched(arena_, object);
    bool other = !said.error.empty() || (!said.kind.empty() && said.kind != kind_.kind) ||
                 (!(said.group.empty() && said.version.empty()) &&
                  (said.group != kind_.group || said.version != kind_.version));
    if (other) {
      out.error = mutate_by_json_patch(arena_, kind_, {object}, Value::list(nullptr, 0)).cause;
      out.error_path = said.kind == kind_.kind ? "apiVersion" : "kind";
    }
    return out;
  }

  void run() {
    Value object = made_->value(kind_);
    Problems before = problems_of(object);
    if (!before.unknown.empty() || !before.error.empty()) return;
    std::map<std::string, const Operation*> pending;  // unknown fields, by the operation that adds them
    for (const Operation& o : operations_) {
      if (!is_run(o)) continue;
      std::optional<Value> next = applied(o, object, o.value == nullptr ? std::nullopt : counted(o));
      if (!next) continue;
      Problems after = problems_of(*next);
      if (!after.error.empty()) {  // continue as if the operation did not exist
        is_changed_later(o) ? doubted_.push_back(&o)
                            : add_type_error(o, after.error, after.error_path, nullptr);
        continue;
      }
      bool moved = o.op == "move" && made_->has_parts(o.from);
      for (const auto& [path, text] : after.unknown) {
        if (!before.unknown.contains(path)) pending[path] = moved ? nullptr : &o;
      }
      std::erase_if(pending, [&](const auto& p) { return !after.unknown.contains(p.first); });
      check_typed_parts(o, object);
      object = *next;
      before = std::move(after);
    }
    for (const auto& [path, o] : pending) {
      if (o != nullptr && !is_doubtful(o->path)) add_unknown(*o, path, before.unknown[path]);
    }
    if (kind_.handling == Handling::Defaulted) define(object);
  }

  // Reports known values that the definition refuses, if no later operation changes them.
  void define(const Value& object) {
    for (const auto& [path, text] : definition_problems(arena_, kind_, object).errors) {
      std::vector<Value> way = read_way(arena_, path);
      for (const Operation& o : operations_) {
        bool sets =
            (o.op == "add" || o.op == "replace") && o.value != nullptr && o.path_fit.sort == Fit::Possible;
        if (!sets || !is_below(way, o.path) || is_changed_later(o)) continue;
        OutlinedValues::Spot spot = spot_of(o, way);
        if (spot.outline->sort == Sort::Constant && o.path.steps.size() + spot.steps == way.size())
          add(spot.outline->place, o, spot.guarded, text, "");
      }
    }
  }
  static bool is_below(const std::vector<Value>& way, const OutlinedPointer& pointer) {
    if (way.size() < pointer.steps.size()) return false;
    for (size_t i = 0; i < pointer.steps.size(); ++i) {
      const auto& s = pointer.steps[i];
      // The index of a list item depends on the object.
      if (!way[i].is(Kind::String) || s.sort != OutlinedPointer::Step::Sort::Name ||
          s.name != way[i].as_text())
        return false;
    }
    return true;
  }

  static bool is_known(std::string_view op) {
    return std::ranges::find(kOperations, op) != std::end(kOperations);
  }

  // Whether all of an operation is known that the run depends on. What does nothing is told here.
  bool is_run(const Operation& o) {
    if (!o.op || !is_known(*o.op)) return false;
    if (o.path_fit.sort == Fit::Unknown || (o.moves() && o.from_fit.sort == Fit::Unknown)) return false;
    if (*o.op == "copy" && lacks_member(o.from, o.from_fit) && !is_doubtful(o.from)) {
      add(o.from.steps.back().place, o, false, "no object has what is copied: the copy is null",
          meant(o.from, o.from_fit));
      return false;
    }
    if (*o.op != "test") return true;
    if (o.item.filtered || o.path_fit.sort != Fit::Impossible || is_doubtful(o.path)) return false;
    if (!lacks_member(o.path, o.path_fit)) return true;
    if (o.value != nullptr)
      add(o.path.steps[o.path_fit.at].place, o, false, "the test never holds, so the patch does nothing",
          meant(o.path, o.path_fit));
    return false;
  }

  // Whether a pointer leads to a map or struct without its last step: some operations read null there.
  bool lacks_member(const OutlinedPointer& pointer, const PointerFit& fits) const {
    if (fits.sort != Fit::Impossible || fits.at + 1 != pointer.steps.size() || !pointer.to_end) return false;
    const MergeType* at = kind_.type;
    for (size_t i = 0; i < fits.at; ++i) {
      at = at->form == Form::List ? at->item
                                  : ownership::entry_type(*at, Value::string(pointer.steps[i].name));
      if (at == nullptr) return false;
    }
    return at->form == Form::Map;
  }

  void bad_operation(const Operation& o) {
    Value one = patch_value(*o.op, "/x", "", nullptr);
    Patched refused = apply_json_patch(arena_, make_map(alloc_entries(arena_, 0), 0), Value::list(&one, 1));
    std::vector<std::string> names(std::begin(kOperations), std::end(kOperations));
    std::string_view near = nearest(*o.op, names);
    std::string hint = !near.empty()   ? "did you mean " + std::string(near) + "?"
                       : o.op->empty() ? "op is one of add, remove, replace, move, copy, test"
                                       : "operations are add, remove, replace, move, copy, test";
    add(o.op_outline != nullptr ? o.op_outline->place : o.item.outline->place, o, false,
        std::string(refused.error), hint);
  }

  // The value of an operation as JSON; unknown parts are what other operations expect.
  std::optional<Value> counted(const Operation& o) {
    JsonValue json = json_value(arena_, values_->of(*o.value));
    if (!json.error.empty()) return Value::null();
    bool whole = std::ranges::all_of(values_->leaves(*o.value), [](const OutlinedValues::Part& p) {
      return p.outline->sort == Sort::Constant;
    });
    return whole && !has_open(*o.value) ? json.value : filled(arena_, json.value, made_->value_at(o.path));
  }
  bool has_open(const Outline& outline) const {
    const Outline& o = values_->settled(outline);
    if (o.open || o.sort == Sort::Concat || o.sort == Sort::Filtered) return true;
    return std::ranges::any_of(o.items, [&](const Outline* item) { return has_open(*item); }) ||
           std::ranges::any_of(o.members,
                               [&](const Outline::Member& m) { return m.optional || has_open(*m.value); });
  }

  // The object after an operation; if the operation fails, reports it and returns nothing.
  std::optional<Value> applied(const Operation& o, const Value& object, std::optional<Value> value) {
    Value one = patch_value(*o.op, o.path.text(), o.from.text(), value ? &*value : nullptr);
    Patched patched = apply_json_patch(arena_, object, Value::list(&one, 1));
    if (patched.ok()) {
      if (*o.op != "copy") return patched.object;
      // A copy of an absent value is null, which fits everywhere.
      Value there = made_->value_at(o.path);
      one = patch_value("add", o.path.text(), "", &there);
      return apply_json_patch(arena_, object, Value::list(&one, 1)).object;
    }
    bool from = o.moves() && (o.from.whole == nullptr || o.from_fit.sort == Fit::Impossible);
    const OutlinedPointer& pointer = from ? o.from : o.path;
    const PointerFit& fits = from ? o.from_fit : o.path_fit;
    if (pointer.whole != nullptr && is_doubtful(pointer)) return std::nullopt;
    bool step = fits.sort == Fit::Impossible && pointer.whole != nullptr;
    ExpressionPoint place = pointer.whole == nullptr ? o.item.outline->place
                            : step                   ? pointer.steps[fits.at].place
                                                     : pointer.whole->place;
    add(place, o, false, std::string(patched.error), pointer.whole == nullptr ? "" : meant(pointer, fits));
    return std::nullopt;
  }

  // A hint for a path.
  std::string meant(const OutlinedPointer& pointer, const PointerFit& fits) {
    if (pointer.steps.empty() || !pointer.slash) {
      std::string text = pointer.raw;
      OutlinedPointer with = pointer;
      if (text.empty()) return {};
      return "a path begins with /: did you mean /" + text + "?";
    }
    if (fits.sort != Fit::Impossible) return {};
    const MergeType* at = kind_.type;
    std::vector<Value> way;
    for (size_t i = 0; i <= fits.at; ++i) {
      const auto& s = pointer.steps[i];
      std::string name = s.sort == OutlinedPointer::Step::Sort::Name ? s.name : "0";
      std::optional<int64_t> index = at->form == Form::List ? index_in_path(name) : std::nullopt;
      way.push_back(index ? Value::integer(*index) : Value::string(arena_.copy(name)));
      if (i == fits.at) break;
      const MergeType* next =
          at->form == Form::List ? at->item : ownership::entry_type(*at, Value::string(name));
      bool map = at->form == Form::Map && at->fields == nullptr;
      if (map && next != nullptr && next->form == Form::Scalar)
        return "within a key / is written ~1, or use jsonpatch.escapeKey()";
      at = next;
    }
    if (at->form == Form::List) return "items of a list are named by their index, or - for the end";
    std::string path = meant_field(*kind_.type, way, '/');
    if (path.empty()) {
      const auto& last = pointer.steps.back();
      bool other = fits.at + 1 < pointer.steps.size() && last.sort == OutlinedPointer::Step::Sort::Name;
      Value name = Value::string(last.name);
      return other ? question(meant_field(*kind_.type, {&name, 1}, '/')) : std::string();
    }
    OutlinedPointer rest = pointer;
    rest.raw.clear();
    rest.steps.erase(rest.steps.begin(), rest.steps.begin() + static_cast<std::ptrdiff_t>(fits.at) + 1);
    return question(path + rest.text());
  }

  bool is_changed_later(const Operation& o) const {
    if (is_doubtful(o.path)) return true;
    for (const Operation* later = &o + 1; later != operations_.data() + operations_.size(); ++later) {
      if (later->path_fit.sort == Fit::Impossible) continue;
      if (overlap(later->path, o.path) || (later->moves() && overlap(later->from, o.path))) return true;
    }
    return false;
  }

  void add_unknown(const Operation& o, const std::string& path, const std::string& text) {
    std::vector<Value> way = read_way(arena_, path);
    std::string said = (kind_.handling == Handling::Decoded ? "strict decoding error: " : "") + text;
    if (o.path_fit.sort == Fit::Impossible)
      return add(o.path.steps[o.path_fit.at].place, o, false, said, meant(o.path, o.path_fit));
    OutlinedValues::Spot spot = spot_of(o, way);
    ExpressionPoint place = spot.member != nullptr ? spot.member->place : spot.outline->place;
    add(place, o, spot.guarded, said, way.empty() ? "" : question(meant_field(*kind_.type, way, '.')));
  }

  void add_type_error(const Operation& o, const std::string& error, const std::string& path,
                      const Outline* part) {
    if (o.op == "move" && made_->has_parts(o.from)) return;
    OutlinedValues::Spot spot = spot_of(o, read_way(arena_, path));
    add(part != nullptr ? part->place : spot.outline->place, o, spot.guarded, error, "");
  }

  // The part of an operation's value at a path of the object; if the operation has no value, the operation.
  OutlinedValues::Spot spot_of(const Operation& o, const std::vector<Value>& way) const {
    if (o.value == nullptr) return {.outline = o.path.whole != nullptr ? o.path.whole : o.item.outline};
    size_t above = std::min(o.path.steps.size(), way.size());
    return values_->at(*o.value, std::span(way).subspan(above));
  }

  // Reports a part of known type if no value of the type fits.
  void check_typed_parts(const Operation& o, const Value& object) {
    if (o.value == nullptr || kind_.handling != Handling::Decoded || is_changed_later(o)) return;
    size_t count = 0;
    for (const OutlinedValues::Part& part : values_->leaves(*o.value)) {
      const Outline& p = *part.outline;
      if (p.sort != Sort::Unknown || values_->instead.contains(&p) || ++count > kMostTypedValues) continue;
      Problems first;
      bool all = true;
      for (const Value& v : exemplars(arena_, p.expr->type)) {
        values_->instead[&p] = v;
        JsonValue json = json_value(arena_, values_->of(*o.value));
        Value one = patch_value(*o.op, o.path.text(), o.from.text(), &json.value);
        Patched patched = apply_json_patch(arena_, object, Value::list(&one, 1));
        Problems problems = patched.ok() ? problems_of(patched.object) : Problems();
        all = !problems.error.empty();
        if (!all) break;
        if (first.error.empty()) first = problems;
      }
      values_->instead.erase(&p);
      if (all && !first.error.empty()) add_type_error(o, first.error, first.error_path, &p);
    }
  }

  const Outliner& outliner_;
  const KindSchema& kind_;
  std::vector<Foreseen>& out_;
  Arena arena_;
  OutlinedValues* values_ = nullptr;
  MadeObject* made_ = nullptr;
  std::vector<Operation> operations_;
  std::vector<const Operation*> doubted_;  // those that only fit because of later ones
  bool unknown_ = false;                   // whether some operations are unknown
  bool tested_ = false;                    // whether an operation may skip the patch
  bool guarded_ = false;
};

}  // namespace

std::vector<Foreseen> foresee_patch(Outliner& outliner, const KnownExpression& expression,
                                    const KindSchema& kind) {
  std::vector<Foreseen> out;
  if (kind.handling == Handling::Unknown) return out;
  const Outline& outline = outliner.of(expression);
  Patch patch(outliner, kind, out);
  for (const Selection& selection : selections_of(outline)) patch.check(outline, selection);
  sort_foreseen(out);
  return out;
}

}  // namespace portcullis::patching
