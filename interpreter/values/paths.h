// PathTable: numbers for variables and for absolute paths, shared by programs that are evaluated together.
//
// Idea: `object.spec.containers` read by a hundred policies is one node of a trie, and every node has one
// slot in the Activation that is filled at the first use in a request, whoever reads it. A node knows its
// parent, so shorter paths are shared too. Grows while programs are made; read-only while they run.
// Tested by interpreter/run/cel_test.cc.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "interpreter/values/value.h"

namespace portcullis {

class PathTable {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};

  struct Node {
    // Node of the path without its last key; kNone: `variable` itself is the operand.
    uint32_t parent = kNone;
    uint32_t variable = 0;                  // number of the variable at the root
    uint32_t depth = 0;                     // keys in the path
    Value key;                              // a string that the table owns
    mutable std::atomic<uint32_t> hint{0};  // position at which the key was found last: worth a first look
  };

  PathTable() = default;
  PathTable(const PathTable&) = delete;
  PathTable& operator=(const PathTable&) = delete;

  // Number of the variable of that name; made if it is new.
  uint32_t variable(std::string_view name);
  // Number, or kNone if no program has it.
  uint32_t find_variable(std::string_view name) const;
  const std::string& variable_name(uint32_t number) const { return names_[number]; }
  size_t variable_count() const { return names_.size(); }

  // Node for parent.key, or for variable.key if `parent` is kNone.
  uint32_t child(uint32_t variable, uint32_t parent, std::string_view key);
  const Node& node(uint32_t i) const { return nodes_[i]; }
  size_t node_count() const { return nodes_.size(); }

  // A number for the memo of a program.
  uint32_t new_memo() { return ++growth_, memo_count_++; }
  size_t memo_count() const { return memo_count_; }

  // How often the table grew: an Activation that fits at one value fits as long as the value stays.
  uint64_t growth() const { return growth_; }

 private:
  std::deque<std::string> names_;
  std::map<std::string, uint32_t, std::less<>> numbers_;
  std::deque<Node> nodes_;
  std::deque<std::string> keys_;
  std::map<std::pair<uint64_t, std::string>, uint32_t> children_;
  uint32_t memo_count_ = 0;
  uint64_t growth_ = 0;
};

}  // namespace portcullis
