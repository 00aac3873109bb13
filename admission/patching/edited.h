// EditedDocument: an object in the middle of a JSON patch.
//
// Representation. A place (a Value) holds plain data, or a Node, or kPutNull. A Node is a list or map that was
// changed: its own copy of the items or entries, with room to grow; items are places again. A removed entry of
// a map keeps its place, without a key, until the end. Maps of many entries get an index when they are
// searched. kPutNull is the null that an operation put in: evanphx/json-patch treats it as an empty map or
// list, unlike a null of the object.
// Limits: insertion into the middle of a list moves what is behind it (16 bytes an item).
// Tested by admission/patching/json_patch_test.cc.
#pragma once

#include <cstdint>
#include <span>

#include "interpreter/values/value.h"

namespace portcullis::patching {

struct Node : Opaque {
  bool is_list = false;
  uint32_t count = 0, room = 0;  // of items or entries, removed ones too
  uint32_t removed = 0;
  Value* items = nullptr;
  MapEntry* entries = nullptr;
  // Of a map: 0 for a free place, else the number of an entry plus 1; null: not made yet.
  uint32_t* index = nullptr;
  uint32_t index_mask = 0;
};

// By their names.
void sort_members(MapEntry* entries, size_t count);

// The null that an operation put in, and whether a place holds it.
Value put_null();
bool is_put_null(const Value& place);

class EditedDocument {
 public:
  // `sorts`: members of maps that change come in the order of their names.
  EditedDocument(Arena& arena, const Value& object, bool sorts)
      : root(object), arena_(arena), sorts_(sorts) {}

  // The list or map in `place` as a Node, which takes its place; null if there is something else.
  Node* open(Value& place);

  // Reading, without opening: of a Node or of plain data.
  static bool is_list(const Value& place);
  static bool is_map(const Value& place);
  static std::span<const Value> items(const Value& list);
  static std::span<const MapEntry> entries(const Value& map);  // removed ones too
  static bool is_removed(const MapEntry& entry) { return entry.key.is_null(); }
  static uint32_t size(const Value& place);  // items or entries that are there
  const Value* find(const Value& map, const Value& key) const;

  Value* find(Node& map, const Value& key) const;
  void put(Node& map, const Value& key, const Value& value);
  bool remove(Node& map, const Value& key);  // false: it has no such key
  void insert(Node& list, uint32_t at, const Value& value);
  void remove(Node& list, uint32_t at);

  // What `place` holds as plain data, which shares no Node.
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
