// PathTable: the numbers of variables and absolute paths, shared by programs that are evaluated together.
//
// Idea: `object.spec.containers`, read by a hundred policies, is one node of a trie. Each node has one slot
// in the Activation, which the first reader in a request fills for all others. A node knows its parent, so
// shorter paths are shared as well. The table grows while programs are made and is only read while they run.
// Tested by interpreter/run/cel_test.cc.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/values/arena.h"
#include "interpreter/values/value.h"

namespace portcullis {

class PathTable {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};

  struct Node {
    // The node of the path without its last key; kNone: the key belongs to `variable` itself.
    uint32_t parent;
    uint32_t variable;                      // the variable at the root
    uint32_t depth;                         // the number of keys in the path
    Value key;                              // a string that the table owns
    mutable std::atomic<uint32_t> hint{0};  // position at which the key was found last, tried first

    Node(uint32_t under, uint32_t at, uint32_t length, const Value& name)
        : parent(under), variable(at), depth(length), key(name) {}
    Node(const Node& other) : Node(other.parent, other.variable, other.depth, other.key) {}
  };

  PathTable() = default;
  PathTable(const PathTable&) = delete;
  PathTable& operator=(const PathTable&) = delete;

  // The number of the variable, a new one if the name is new.
  uint32_t variable(std::string_view name);
  // The number of the variable, or kNone if no program has it.
  uint32_t find_variable(std::string_view name) const;
  const std::string& variable_name(uint32_t number) const { return names_[number]; }
  size_t variable_count() const { return names_.size(); }

  // The node of parent.key, or of variable.key if `parent` is kNone.
  uint32_t child(uint32_t variable, uint32_t parent, std::string_view key);
  const Node& node(uint32_t i) const { return nodes_[i]; }
  size_t node_count() const { return nodes_.size(); }

  // A new number for the memo of a program.
  uint32_t new_memo() { return ++growth_, memo_count_++; }
  size_t memo_count() const { return memo_count_; }

  // What the constants of the programs live in.
  Arena& constants() { return constants_; }

  // How often the table has grown. An Activation that has made room stays large enough until this changes.
  uint64_t growth() const { return growth_; }

 private:
  std::deque<std::string> names_;
  std::map<std::string, uint32_t, std::less<>> numbers_;
  std::vector<Node> nodes_;
  std::deque<std::string> keys_;
  std::map<std::pair<uint64_t, std::string>, uint32_t> children_;
  uint32_t memo_count_ = 0;
  uint64_t growth_ = 0;
  Arena constants_{64};  // most programs have few, and many have a table of their own
};

}  // namespace portcullis
