// See made_object.h.
#include "admission/patching/made_object.h"

#include <cstdlib>
#include <optional>

#include "admission/ownership/compare.h"
#include "admission/scalars/group_version.h"

namespace portcullis::patching {

using ownership::Form;

namespace {

std::string name_of(const OutlinedPointer::Step& s) {
  using Sort = OutlinedPointer::Step::Sort;
  return s.sort == Sort::Name ? s.name : s.sort == Sort::Index ? "0" : "...";
}

}  // namespace

void MadeObject::add(const OutlinedPointer& pointer, size_t count) {
  Part* at = &root_;
  for (size_t i = 0; i < count && at != nullptr; ++i) at = step(*at, pointer.steps[i]);
}

Value MadeObject::value(const KindSchema& kind) const {
  Value made = value(root_);
  MapEntry* entries = alloc_entries(arena_, made.size() + 2);
  size_t n = 0;
  new (&entries[n++]) MapEntry{Value::string("apiVersion"),
                               Value::string(arena_.copy(join_api_version(kind.group, kind.version)))};
  new (&entries[n++]) MapEntry{Value::string("kind"), Value::string(kind.kind)};
  for (const MapEntry& e : made.as_map()) {
    if (e.key.as_text() != "apiVersion" && e.key.as_text() != "kind")
      new (&entries[n++]) MapEntry{e.key, e.value};
  }
  return make_map(entries, n);
}

Value MadeObject::value_at(const OutlinedPointer& pointer) const {
  const Part* at = find(pointer);
  return at == nullptr ? Value::null() : value(*at);
}

bool MadeObject::has_parts(const OutlinedPointer& pointer) const {
  const Part* at = find(pointer);
  return at != nullptr && (!at->members.empty() || !at->items.empty());
}

MadeObject::Part* MadeObject::step(Part& at, const Step& s) {
  if (at.type->form == Form::List) {
    std::optional<int64_t> index = index_in_path(name_of(s));
    if (!index || at.type->item == nullptr) return nullptr;
    // So many items that other operations may remove one before it.
    size_t wanted = static_cast<size_t>(std::abs(*index)) + 1 + operations_;
    while (at.items.size() < wanted) at.items.push_back({at.type->item, {}, {}});
    auto size = static_cast<int64_t>(at.items.size());
    return &at.items[static_cast<size_t>(*index < 0 ? size + *index : *index)];
  }
  if (at.type->form != Form::Map) return nullptr;
  const std::string name = name_of(s);
  const ownership::MergeType* type = ownership::entry_type(*at.type, Value::string(name));
  if (type == nullptr) return nullptr;
  Part& part = at.members[name];
  part.type = type;
  return &part;
}

const MadeObject::Part* MadeObject::find(const OutlinedPointer& pointer) const {
  const Part* at = &root_;
  for (const Step& s : pointer.steps) {
    if (at->type->form == Form::List) {
      std::optional<int64_t> index = index_in_path(name_of(s));
      if (!index || static_cast<size_t>(*index) >= at->items.size()) return nullptr;
      at = &at->items[static_cast<size_t>(*index)];
    } else {
      auto found = at->members.find(name_of(s));
      if (found == at->members.end()) return nullptr;
      at = &found->second;
    }
  }
  return at;
}

Value MadeObject::value(const Part& part) const {
  if (part.type->form == Form::Map) {
    MapEntry* entries = alloc_entries(arena_, part.members.size());
    size_t n = 0;
    for (const auto& [name, inner] : part.members)
      new (&entries[n++]) MapEntry{Value::string(arena_.copy(name)), value(inner)};
    return make_map(entries, n);
  }
  if (part.type->form != Form::List) return Value::null();
  Value* items = arena_.array<Value>(part.items.size());
  for (size_t i = 0; i < part.items.size(); ++i) new (&items[i]) Value(value(part.items[i]));
  return Value::list(items, part.items.size());
}

Value filled(Arena& arena, const Value& known, const Value& made) {
  if (known.is_null()) return made;
  if (known.is(Kind::Map) && made.is(Kind::Map)) {
    MapEntry* entries = alloc_entries(arena, known.size() + made.size());
    size_t n = 0;
    for (const MapEntry& e : known.as_map()) {
      const Value* other = find_key(made, e.key);
      new (&entries[n++]) MapEntry{e.key, other == nullptr ? e.value : filled(arena, e.value, *other)};
    }
    for (const MapEntry& e : made.as_map()) {
      if (find_key(known, e.key) == nullptr) new (&entries[n++]) MapEntry{e.key, e.value};
    }
    return make_map(entries, n);
  }
  if (known.is(Kind::List) && made.is(Kind::List)) {
    size_t size = known.size() + made.size();
    Value* items = arena.array<Value>(size);
    for (size_t i = 0; i < size; ++i)
      new (&items[i]) Value(i < known.size() ? known.as_list()[i] : made.as_list()[i - known.size()]);
    return Value::list(items, size);
  }
  return known;
}

}  // namespace portcullis::patching
