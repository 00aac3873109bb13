// The positions of a document's nodes in its text: an index that is made once.
//
// Idea: one walk through the text makes a node for each value: position, key, children. libyaml's events
// drive it; for JSON a scanner of our own does, because libyaml does not accept its escapes and long keys. A
// lookup then takes the length of its path. A dump of a cluster is one List of thousands of objects, and each
// needs its position, so a walk for each would be too slow. Limits: text after a syntax error has no nodes;
// aliases have no children. Tested by manifests/positions_test.cc, fuzz/yaml.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/result.h"

namespace portcullis {

// The position of a document's root, as Positions::find("") returns it, without reading the whole document.
Position root_position(std::string_view text);

class Positions {
 public:
  // Indexes one YAML or JSON document; does not keep `text`.
  explicit Positions(std::string_view text);

  // The node at a path such as "spec.validations[0].expression" or "metadata.labels[a.b/c]", or the deepest
  // existing node on that path. With `key`, the position of the field's name.
  Position find(std::string_view path, bool key) const;

  // A key that occurs twice in one mapping, however it is written, and the position of its second occurrence.
  std::optional<std::pair<std::string, Position>> repeated_key() const;

  struct Node {
    Position at, key_at;
    uint32_t key = 0, key_length = 0;        // into keys_
    uint32_t first_child = 0, children = 0;  // into children_
    bool is_list = false;
  };

 private:
  friend class PositionsBuilder;
  std::string_view key_of(const Node& n) const { return std::string_view(keys_).substr(n.key, n.key_length); }
  const Node* child(const Node& parent, std::string_view name) const;
  // The child that the first step of a path leads to, without that step; null if there is none. Names with dots are
  // in brackets, and end at the first closing one with which they are the name of a child.
  const Node* take_step(const Node& from, std::string_view& path) const;

  std::vector<Node> nodes_;             // in the order of their starts; the root first
  static constexpr uint32_t kFew = 16;  // children that are searched one by one
  std::vector<uint32_t> children_;      // the children of one node are adjacent
  std::vector<uint32_t> by_key_;  // the same; those of a node with more than few in the order of their keys
  std::string keys_;
};

}  // namespace portcullis
