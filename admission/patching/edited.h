// EditedDocument: an object while a JSON patch changes it.
//
// Representation: a place (a Value) holds plain data, a Node, or kPutNull. A Node is a changed list or map: a
// copy of the items or entries with room to grow, where the items are places again. A removed entry of a map
// stays in its place, without a key, until the end. A map with many entries gets an index at its first
// search. kPutNull is a null that an operation inserted: unlike a null of the original object,
// evanphx/json-patch treats it as an empty map or list.
// Limits: an insertion into the middle of a list moves all later items (16 bytes each). Tested by
// admission/patching/json_patch_test.cc.
#pragma once

#include <cstdint>
#include <span>

#include "interpreter/values/value.h"

namespace portcullis::patching {

struct Node : Opaque {
  bool is_list = false;
  uint32_t count = 0, room = 0;  // of items or entries, removed ones included
  uint32_t removed = 0;
  Value* items = nullptr;
  MapEntry* entries = nullptr;
  // For a map: 0 for a free slot, else the index of an entry plus 1; null: not made yet.
  uint32_t* index = nullptr;
  uint32_t index_mask = 0;
};

// Sorts entries by name.
void sort_members(MapEntry* entries, size_t count);

// A null inserted by an operation, and whether a place holds one.
Value put_null();
bool is_put_null(const Value& place);

class EditedDocument {
 public:
  // `sorts`: changed maps have their members sorted by name.
  EditedDocument(Arena& arena, const Value& object, bool sorts)
      : root(object), arena_(arena), sorts_(sorts) {}

  // Replaces the list or map in `place` by a Node, and returns it; null if there is another value.
  Node* open(Value& place);

  // Access to a Node or plain data without opening it.
  static bool is_list(const Value& place);
  static bool is_map(const Value& place);
  static std::span<const Value> items(const Value& list);
  static std::span<const MapEntry> entries(const Value& map);  // removed ones included
  static bool is_removed(const MapEntry& entry) { return entry.key.is_null(); }
  static uint32_t size(const Value& place);  // the number of present items or entries
  const Value* find(const Value& map, const Value& key) const;

  Value* find(Node& map, const Value& key) const;
  void put(Node& map, const Value& key, const Value& value);
  bool remove(Node& map, const Value& key);  // false: there is no such key
  void insert(Node& list, uint32_t at, const Value& value);
  void remove(Node& list, uint32_t at);

  // The contents of `place` as plain data, which shares no Node.
  Value copied(const Value& place) const;

  Value root;

 private:
  static Node* node(const Value& place);
  int64_t position(Node& map, const Value& key) const;
  void make_index(Node& map) const;
  static void add_to_index(Node& map, uint32_t entry);
  void grow(Node& node) const;

  Arena& arena_;
  bool sorts_;
};

}  // namespace portcullis::patching
