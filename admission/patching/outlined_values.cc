#include "admission/patching/outlined_values.h"

#include <algorithm>

#include "admission/expressions/patches.h"
#include "admission/ownership/compare.h"
#include "admission/scalars/spelling.h"
#include "interpreter/values/structs.h"

namespace portcullis::patching {
namespace {

using ownership::Form;
using ownership::MergeType;
using Sort = Outline::Sort;

bool is_list_outline(const Outline& o) {
  return o.sort == Sort::List || o.sort == Sort::Concat || o.sort == Sort::Filtered;
}

}  // namespace

bool OutlinedValues::is_unknown(const Outline& o) const {
  auto other = instead.find(&o);
  return other != instead.end() ? !other->second : o.sort == Sort::Unknown;
}

std::vector<OutlinedItem> OutlinedValues::kept(const Outline& list) const {
  std::vector<OutlinedItem> items = items_of(list, selection_).items;
  std::erase_if(items, [this](const OutlinedItem& i) { return is_unknown(*i.outline); });
  return items;
}

const Outline* OutlinedValues::held(const Outline::Member& member, bool* guarded) const {
  const Outline& o = settled(*member.value, guarded);
  if (!member.optional) return &o;
  if (o.sort == Sort::Optional) return &settled(*o.items[0], guarded);
  bool none =
      o.sort == Sort::Constant && o.constant.is(Kind::Optional) && o.constant.as_optional() == nullptr;
  return none ? nullptr : &o;
}

Value OutlinedValues::of(const Outline& outline) {
  const Outline& o = settled(outline);
  if (auto other = instead.find(&o); other != instead.end()) return other->second.value_or(unknown_);
  switch (o.sort) {
    case Sort::Constant: return o.constant;
    case Sort::Object:
    case Sort::Patch:
    case Sort::Map: {
      const Value unknown = unknown_;
      if (o.sort == Sort::Object) unknown_ = Value::optional(nullptr);
      MapEntry* entries = alloc_entries(arena_, o.members.size());
      size_t n = 0;
      for (const Outline::Member& m : o.members) {
        const Outline* value = held(m, nullptr);
        if (value != nullptr) new (&entries[n++]) MapEntry{Value::string(m.name), of(*value)};
      }
      unknown_ = unknown;
      if (o.sort == Sort::Map) return make_map(entries, n);
      const StructForm* form = patch_types()->find_form(o.expr->type->name());
      Value made = form == nullptr ? Value::null() : form->make(*form, {entries, n}, arena_);
      return made.is_error() ? unknown_ : made;
    }
    case Sort::Optional: return Value::optional(arena_.make<Value>(of(*o.items[0])));
    case Sort::List:
    case Sort::Concat:
    case Sort::Filtered: {
      if (o.sort == Sort::Concat && o.expr->type != nullptr && o.expr->type->is(TypeKind::String))
        return unknown_;
      std::vector<OutlinedItem> items = kept(o);
      Value* made = arena_.array<Value>(items.size());
      for (size_t i = 0; i < items.size(); ++i) new (&made[i]) Value(of(*items[i].outline));
      return Value::list(made, items.size(), o.sort == Sort::Concat ? kConcatList : kPlainList);
    }
    case Sort::Unknown:
    case Sort::Choice: break;
  }
  return unknown_;
}

OutlinedValues::Spot OutlinedValues::at(const Outline& outline, std::span<const Value> way) const {
  Spot spot;
  spot.outline = &settled(outline, &spot.guarded);
  for (const Value& step : way) {
    if (spot.outline->sort == Sort::Optional) spot.outline = &settled(*spot.outline->items[0], &spot.guarded);
    const Outline* next = nullptr;
    const Outline::Member* member = nullptr;
    if (step.is(Kind::String) && (spot.outline->sort == Sort::Object || spot.outline->sort == Sort::Map)) {
      for (const Outline::Member& m : spot.outline->members) {
        if (m.name == step.as_text()) member = &m;
      }
      if (member != nullptr) next = held(*member, &spot.guarded);
    } else if (step.is(Kind::Int) && is_list_outline(*spot.outline)) {
      std::vector<OutlinedItem> items = kept(*spot.outline);
      auto i = static_cast<size_t>(step.as_int());
      if (i < items.size()) {
        next = items[i].outline;
        spot.guarded |= items[i].guarded;
      }
    }
    if (next == nullptr) return spot;
    spot.outline = next;
    spot.member = member;
    spot.steps++;
  }
  return spot;
}

void OutlinedValues::add_leaves(const Outline& outline, std::vector<Value>& way, bool guarded,
                                std::vector<Part>& out) const {
  const Outline& o = settled(outline, &guarded);
  if (o.sort == Sort::Optional) return add_leaves(*o.items[0], way, guarded, out);
  if (o.sort == Sort::Constant || o.sort == Sort::Unknown) {
    out.push_back({&o, way, guarded});
  } else if (is_list_outline(o)) {
    std::vector<OutlinedItem> items = kept(o);
    for (size_t i = 0; i < items.size(); ++i) {
      way.push_back(Value::integer(static_cast<int64_t>(i)));
      add_leaves(*items[i].outline, way, guarded || items[i].guarded, out);
      way.pop_back();
    }
  } else {
    for (const Outline::Member& m : o.members) {
      bool member_guarded = guarded;
      const Outline* value = held(m, &member_guarded);
      if (value == nullptr) continue;
      way.push_back(Value::string(m.name));
      add_leaves(*value, way, member_guarded, out);
      way.pop_back();
    }
  }
}

std::vector<OutlinedValues::Part> OutlinedValues::leaves(const Outline& outline) const {
  std::vector<Part> out;
  std::vector<Value> way;
  add_leaves(outline, way, false, out);
  return out;
}

// --- hints

namespace {

constexpr char kStep = '\x01';           // between names, which may have any other character
constexpr int kMostLevels = 4;           // levels below which a field is searched
constexpr size_t kMostVisited = 20'000;  // fields

// The paths to fields called `name` below a type, from the first level that has any.
class Fields {
 public:
  explicit Fields(std::string_view name) : name_(name) {}

  std::vector<std::string> find(const MergeType& type) {
    std::vector<std::pair<std::string, const MergeType*>> level = {{"", &type}}, next;
    for (int depth = 0; depth < kMostLevels && found_.empty(); ++depth) {
      for (auto& [way, at] : level) below(way, *at, next);
      level = std::move(next);
      next.clear();
    }
    return found_;
  }

 private:
  void below(const std::string& way, const MergeType& type,
             std::vector<std::pair<std::string, const MergeType*>>& next) {
    const MergeType* at = &type;
    while (at->form == Form::List && at->item != nullptr) at = at->item;
    if (at->fields == nullptr) return;
    for (std::string_view name : at->fields->names()) {
      if (++visited_ > kMostVisited) return;
      std::string path = way + kStep + std::string(name);
      if (name == name_) found_.push_back(path);
      next.emplace_back(path, ownership::entry_type(*at, Value::string(name)));
    }
  }

  std::string_view name_;
  std::vector<std::string> found_;
  size_t visited_ = 0;
};

const MergeType* type_below(const MergeType& type, const Value& step) {
  if (step.is(Kind::Int) || type.form == Form::List) return type.form == Form::List ? type.item : nullptr;
  return type.form == Form::Map ? ownership::entry_type(type, step) : nullptr;
}

}  // namespace

std::string meant_field(const MergeType& type, std::span<const Value> way, char separator) {
  const MergeType* at = &type;
  std::string path;
  const bool pointer = separator == '/';
  for (const Value& step : way.subspan(0, way.size() - 1)) {
    at = type_below(*at, step);
    if (at == nullptr) return {};
    if (step.is(Kind::Int)) {
      if (pointer) path += kStep + std::to_string(step.as_int());
    } else {
      path += kStep + std::string(step.as_text());
    }
  }
  if (at->fields == nullptr || !way.back().is(Kind::String)) return {};
  std::string_view name = way.back().as_text();
  std::vector<std::string> names;
  for (std::string_view n : at->fields->names()) names.emplace_back(n);
  std::string meant;
  if (std::string_view near = nearest(name, names); !near.empty()) {
    meant = path + kStep + std::string(near);
  } else {
    std::vector<std::string> below = Fields(name).find(*at);
    if (below.size() == 1) meant = path + below[0];
    if (below.empty()) {
      below = Fields(name).find(type);
      if (below.size() == 1 && !path.starts_with(below[0])) meant = below[0];
    }
  }
  if (meant.empty()) return {};
  std::ranges::replace(meant, kStep, separator);
  return meant.substr(pointer ? 0 : 1);
}

std::vector<Value> exemplars(Arena& arena, const Type* type) {
  if (type == nullptr) return {};
  switch (type->kind()) {
    case TypeKind::String:
      return {Value::string("x"),
              Value::string(""),
              Value::string("1"),
              Value::string("1Gi"),
              Value::string("2006-01-02T15:04:05Z"),
              Value::string("2006-01-02T15:04:05.000000Z"),
              Value::string("10%"),
              Value::string("AAAA")};
    case TypeKind::Int: return {Value::integer(1), Value::integer(0)};
    case TypeKind::Double: return {Value::real(0.5), Value::real(1)};
    case TypeKind::Bool: return {Value::boolean(true), Value::boolean(false)};
    case TypeKind::List: return {Value::list(arena.array<Value>(0), 0)};
    case TypeKind::Map: return {make_map(alloc_entries(arena, 0), 0)};
    default: return {};
  }
}

}  // namespace portcullis::patching
