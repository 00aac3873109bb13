// Where the nodes of a document stand in its text: an index that is made once.
//
// Idea: one walk through the text (libyaml's events; a scanner of our own for JSON, whose escapes and long
// keys libyaml does not take) leaves a node for each value: position, key, children. A question then costs
// what its path is long. A dump of a cluster is one List of thousands of objects, each of which is asked for,
// so walking for each is too slow. Limits: behind a syntax error there is nothing; aliases have no children.
// Tested by manifests/positions_test.cc, fuzz/yaml.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/result.h"

namespace portcullis {

// Where the content of a document starts, as Positions would have it of the empty path;
// without reading all of it.
Position root_position(std::string_view text);

class Positions {
 public:
  // Reads one YAML or JSON document; `text` is not kept.
  explicit Positions(std::string_view text);

  // The node at a path such as "spec.validations[0].expression" or "metadata.labels[a.b/c]", or the deepest
  // one on the way there. With `key`, the name of the field instead of its value.
  Position find(std::string_view path, bool key) const;

  // A key that stands twice in one mapping, as it is written, and where it stands for the second time.
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

  std::vector<Node> nodes_;         // in the order in which they start; the root first
  std::vector<uint32_t> children_;  // those of one node stand together
  std::string keys_;
};

}  // namespace portcullis
