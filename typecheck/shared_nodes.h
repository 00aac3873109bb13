// Helpers of walks over types whose nodes are shared. Each step of an expression may double a type ({x: x} in
// a loop); such a type has few nodes but exponentially many paths, so a walk must visit each node once.
//
// Idea: a walk remembers the nodes it has visited, but only after the first kUnkept: most types are small,
// and visiting a node again is cheaper than remembering it.
// Tested by typecheck/unify_test.cc and typecheck/type_test.cc.
#pragma once

#include <cstddef>
#include <functional>
#include <unordered_map>
#include <utility>

#include "typecheck/type.h"

namespace portcullis {

// The types that a walk has made of the nodes it visited.
class MadeTypes {
 public:
  // The type made of `t`, if remembered, or null.
  const Type* find(const Type* t) const {
    if (made_.empty()) return nullptr;
    auto known = made_.find(t);
    return known == made_.end() ? nullptr : known->second;
  }
  // Remembers `made` for `t`, once enough nodes have been visited. Returns `made`.
  const Type* keep(const Type* t, const Type* made) {
    if (++count_ > kUnkept) made_.emplace(t, made);
    return made;
  }

 private:
  static constexpr size_t kUnkept = 64;
  size_t count_ = 0;
  std::unordered_map<const Type*, const Type*> made_;
};

// Pairs of nodes that a walk over two types has visited, each with a mark that the walk chooses.
class MetPairs {
 public:
  // Whether the pair is remembered with this mark.
  bool holds(const Type* a, const Type* b, size_t mark = 0) const {
    if (met_.empty()) return false;
    auto known = met_.find({a, b});
    return known != met_.end() && known->second == mark;
  }
  // Remembers the pair with this mark, once enough pairs have been visited.
  void keep(const Type* a, const Type* b, size_t mark = 0) {
    if (++count_ > kUnkept) met_[{a, b}] = mark;
  }
  void clear() {
    count_ = 0;
    if (!met_.empty()) met_.clear();
  }

 private:
  static constexpr size_t kUnkept = 64;
  struct Hash {
    size_t operator()(const std::pair<const Type*, const Type*>& p) const {
      return std::hash<const Type*>{}(p.first) * 1000003 + std::hash<const Type*>{}(p.second);
    }
  };
  size_t count_ = 0;
  std::unordered_map<std::pair<const Type*, const Type*>, size_t, Hash> met_;
};

}  // namespace portcullis
