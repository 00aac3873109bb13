// Walks over types that share nodes. An expression may double a type at every step ({x: x} of a loop's
// variable), and a walk over all paths of such a type would not end in our time.
// Idea: what was met is kept, but only from some number on: most types are small, and looking at a node again
// is cheaper than keeping it.
// Tested by typecheck/unify_test.cc and typecheck/type_test.cc.
#pragma once

#include <cstddef>
#include <functional>
#include <unordered_map>
#include <utility>

#include "typecheck/type.h"

namespace portcullis {

// What a walk made of the nodes it has met.
class MadeTypes {
 public:
  // What was kept for `t`, or null.
  const Type* find(const Type* t) const {
    if (made_.empty()) return nullptr;
    auto known = made_.find(t);
    return known == made_.end() ? nullptr : known->second;
  }
  // Keeps `made` for `t`, once enough has been met. Returns `made`.
  const Type* keep(const Type* t, const Type* made) {
    if (++count_ > kUnkept) made_.emplace(t, made);
    return made;
  }

 private:
  static constexpr size_t kUnkept = 64;
  size_t count_ = 0;
  std::unordered_map<const Type*, const Type*> made_;
};

// Pairs of nodes that a walk over two types has met, each with a mark of the walker's.
class MetPairs {
 public:
  // Whether the pair was kept with this mark.
  bool holds(const Type* a, const Type* b, size_t mark = 0) const {
    if (met_.empty()) return false;
    auto known = met_.find({a, b});
    return known != met_.end() && known->second == mark;
  }
  // Keeps the pair with this mark, once enough have been met.
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
