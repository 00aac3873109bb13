// What expressions read of the object and of params, and the constants beside it, as clues for objects that pass or
// fail.
//
// Idea: each expression is only parsed, with macros as calls. A loop variable stands for the elements of its range, and
// variables.x for the expression of x, so that every read is a path from the object or from params; `+` and `? :` stand
// for each of their parts. What a mutation writes counts, too. Limits: keys that are computed, and values that pass
// through other functions, are not followed. Tested by tests/cli/test_init.txt.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/ast.h"
#include "manifests/object.h"

namespace portcullis::drafts {

inline constexpr std::string_view kElement = "[]";  // in paths: every element of a list or map
inline constexpr std::string_view kKey = "[key]";   // in paths: every key of a map

using Path = std::vector<std::string>;

struct Reads {
  // Of the object (new or old) and of params, without those that lead to others.
  std::set<Path> paths, param_paths;
  std::set<std::string> constants;  // in JSON
  bool old = false;                 // whether it reads oldObject
  bool others = false;              // whether it reads request, authorizer, namespaceObject
};

// The constant in JSON; empty for one of another kind.
std::string json_of(const Literal& literal);
// The path of a JSON pointer, from the object, as far as it is known; what follows is any element.
Path pointed_at(const Expr& pointer);
// Whether it is a macro whose first argument stands for each element of its target.
bool is_loop(const Expr& e);

// What the expressions of a policy read: validations, mutations, variables, match conditions and audit annotations.
Reads reads_of(const InputObject& policy);
// What a rule of a definition reads of an object, in which its `self` is at a path.
Reads reads_of_rule(std::string_view rule, const Path& self);

}  // namespace portcullis::drafts
