#include "admission/patching/edited.h"

#include <algorithm>
#include <bit>

#include "interpreter/values/map.h"
#include "interpreter/values/native.h"

namespace portcullis::patching {
namespace {

constexpr uint32_t kSpareRoom = 4;
constexpr uint32_t kSearched = 16;  // larger maps get an index

Value never_equal(const Opaque&, const Value&, Arena&) { return Value::boolean(false); }
std::string_view print(const Opaque& self, Arena&) { return self.cls->type_name; }
constinit const OpaqueClass kNodeClass = {.type_name = "patching.Node", .equal = never_equal, .print = print};
constinit const OpaqueClass kPutNullClass = {.type_name = "null", .equal = never_equal, .print = print};
constinit const Opaque kPutNull = {&kPutNullClass};

}  // namespace

void sort_members(MapEntry* entries, size_t count) {
  std::sort(entries, entries + count,
            [](const MapEntry& a, const MapEntry& b) { return a.key.as_text() < b.key.as_text(); });
}

Value put_null() { return Value::opaque(&kPutNull); }
bool is_put_null(const Value& place) {
  return place.is(Kind::Opaque) && place.as_opaque().cls == &kPutNullClass;
}

Node* EditedDocument::node(const Value& place) {
  bool is_node = place.is(Kind::Opaque) && place.as_opaque().cls == &kNodeClass;
  return is_node ? const_cast<Node*>(static_cast<const Node*>(&place.as_opaque())) : nullptr;
}

Node* EditedDocument::open(Value& place) {
  if (Node* made = node(place)) return made;
  if (!place.is(Kind::List) && !place.is(Kind::Map)) return nullptr;
  Node* made = arena_.make<Node>();
  made->cls = &kNodeClass;
  made->is_list = place.is(Kind::List);
  made->count = place.size();
  made->room = made->count + kSpareRoom;
  if (made->is_list) {
    made->items = arena_.array<Value>(made->room);
    std::ranges::copy(place.as_list(), made->items);
  } else {
    made->entries = arena_.array<MapEntry>(made->room);
    std::ranges::copy(place.as_map(), made->entries);
  }
  place = Value::opaque(made);
  return made;
}

bool EditedDocument::is_list(const Value& place) {
  const Node* n = node(place);
  return n != nullptr ? n->is_list : place.is(Kind::List);
}

bool EditedDocument::is_map(const Value& place) {
  const Node* n = node(place);
  return n != nullptr ? !n->is_list : place.is(Kind::Map);
}

std::span<const Value> EditedDocument::items(const Value& list) {
  const Node* n = node(list);
  return n != nullptr ? std::span<const Value>(n->items, n->count) : list.as_list();
}

uint32_t EditedDocument::size(const Value& place) {
  const Node* n = node(place);
  return n != nullptr ? n->count - n->removed : place.size();
}

std::span<const MapEntry> EditedDocument::entries(const Value& map) {
  const Node* n = node(map);
  return n != nullptr ? std::span<const MapEntry>(n->entries, n->count) : map.as_map();
}

const Value* EditedDocument::find(const Value& map, const Value& key) const {
  Node* n = node(map);
  return n != nullptr ? find(*n, key) : find_key(map, key);
}

Value* EditedDocument::find(Node& map, const Value& key) const {
  int64_t at = position(map, key);
  return at < 0 ? nullptr : &map.entries[at].value;
}

int64_t EditedDocument::position(Node& map, const Value& key) const {
  if (map.index == nullptr && map.count > kSearched) make_index(map);
  auto is_it = [&](uint32_t i) {
    const Value& k = map.entries[i].key;
    return k.raw_head() == key.raw_head() && same_rest(k, key);
  };
  if (map.index == nullptr) {
    for (uint32_t i = 0; i < map.count; ++i) {
      if (is_it(i)) return i;
    }
    return -1;
  }
  for (uint64_t at = hash_key(key) & map.index_mask; map.index[at] != 0; at = (at + 1) & map.index_mask) {
    if (is_it(map.index[at] - 1)) return map.index[at] - 1;
  }
  return -1;
}

// Indexes the whole capacity of the map, so that only growth requires a new index. Removed entries stay in
// it.
void EditedDocument::make_index(Node& map) const {
  uint32_t places = std::bit_ceil(map.room * 2);
  map.index = arena_.array<uint32_t>(places);
  std::fill_n(map.index, places, 0u);
  map.index_mask = places - 1;
  for (uint32_t i = 0; i < map.count; ++i) {
    if (!is_removed(map.entries[i])) add_to_index(map, i);
  }
}

void EditedDocument::add_to_index(Node& map, uint32_t entry) {
  uint64_t at = hash_key(map.entries[entry].key) & map.index_mask;
  while (map.index[at] != 0) at = (at + 1) & map.index_mask;
  map.index[at] = entry + 1;
}

void EditedDocument::grow(Node& n) const {
  if (n.count < n.room) return;
  n.room *= 2;
  if (n.is_list) {
    Value* items = arena_.array<Value>(n.room);
    std::copy_n(n.items, n.count, items);
    n.items = items;
  } else {
    MapEntry* entries = arena_.array<MapEntry>(n.room);
    std::copy_n(n.entries, n.count, entries);
    n.entries = entries;
    n.index = nullptr;
  }
}

void EditedDocument::put(Node& map, const Value& key, const Value& value) {
  if (Value* there = find(map, key)) {
    *there = value;
    return;
  }
  grow(map);
  new (&map.entries[map.count++]) MapEntry{key, value};
  if (map.index != nullptr) add_to_index(map, map.count - 1);
}

bool EditedDocument::remove(Node& map, const Value& key) {
  int64_t at = position(map, key);
  if (at < 0) return false;
  map.entries[at] = {Value::null(), Value::null()};
  ++map.removed;
  return true;
}

void EditedDocument::insert(Node& list, uint32_t at, const Value& value) {
  grow(list);
  std::copy_backward(list.items + at, list.items + list.count, list.items + list.count + 1);
  list.items[at] = value;
  ++list.count;
}

void EditedDocument::remove(Node& list, uint32_t at) {
  std::copy(list.items + at + 1, list.items + list.count, list.items + at);
  --list.count;
}

Value EditedDocument::copied(const Value& place) const {
  arena_.step();
  Node* n = node(place);
  if (n == nullptr) return is_put_null(place) ? Value::null() : place;
  if (n->is_list) {
    Value* items = arena_.array<Value>(n->count);
    for (uint32_t i = 0; i < n->count; ++i) new (&items[i]) Value(copied(n->items[i]));
    return Value::list(items, n->count, kNativeList);
  }
  MapEntry* entries = alloc_entries(arena_, n->count - n->removed);
  size_t kept = 0;
  for (uint32_t i = 0; i < n->count; ++i) {
    const MapEntry& e = n->entries[i];
    if (!is_removed(e)) new (&entries[kept++]) MapEntry{e.key, copied(e.value)};
  }
  if (sorts_) sort_members(entries, kept);
  return make_native_map(entries, kept);
}

}  // namespace portcullis::patching
