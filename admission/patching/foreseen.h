// Finds mistakes that a mutation makes with every object of a kind, before there is an object.
//
// Idea: from the outline of an expression's value (outline.h) it makes real values, with nulls for unknown
// parts, and runs the code that mutates objects on them: the checks of typing and names for configurations;
// for JSON patches, the operations on an object that has everything that the kind can have at their paths. So
// each error occurs with every object, in the words of the API server.
// Limits: kMostForeseen of one expression. A part of known type but unknown value is reported if no value of
// the type fits. Tested by admission/patching/foreseen_test.cc, tests/cli/mutation_checks.txt and against the
// oracle by tests/oracle/foreseen.py.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "admission/patching/kind.h"
#include "admission/patching/outline.h"

namespace portcullis::patching {

inline constexpr size_t kMostForeseen = 100;

struct Foreseen {
  const Expr* part = nullptr;  // the wrong part
  ExpressionPoint place;
  std::string text;      // the API server's text
  std::string hint;      // a suggestion; may be empty
  bool guarded = false;  // a condition decides whether the expression is evaluated
};

// The mistakes of an expression that gives a configuration, or a list of JSON patches, for objects of `kind`,
// sorted by position. `outliner` has the facts of the kind.
std::vector<Foreseen> foresee_configuration(Outliner& outliner, const KnownExpression& expression,
                                            const KindSchema& kind);
std::vector<Foreseen> foresee_patch(Outliner& outliner, const KnownExpression& expression,
                                    const KindSchema& kind);

// What a definition does with a mutated object: the unknown fields that it drops, and the errors of values,
// each with its path.
struct DefinitionProblems {
  std::vector<std::string> unknown;
  std::vector<std::pair<std::string, std::string>> errors;
};
DefinitionProblems definition_problems(Arena& arena, const KindSchema& kind, const Value& object);

// The steps of a path in an error, such as spec.containers[0].image: names and indices.
std::vector<Value> read_way(Arena& arena, std::string_view path);

// "did you mean X?"; empty without a meaning.
std::string question(const std::string& meant);

// Sorts by position, drops duplicates, and keeps at most kMostForeseen.
void sort_foreseen(std::vector<Foreseen>& all);

}  // namespace portcullis::patching
