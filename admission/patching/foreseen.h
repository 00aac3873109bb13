// What a mutation does wrong with all objects of a kind, told before there is one.
//
// Idea: of what is known of an expression's value (outline.h) real values are made, in which nulls stand for what is
// not known, and the code that mutates objects is asked what it says of them: typing and names of configurations;
// for JSON patches the operations are applied to an object in which everything is there that the kind can have at
// their paths. So an error is one of every object, and has the words that the API server has then.
// Limits: kMostForeseen of one expression. A part whose type is known but not its value is told if no value of the
// type fits. Tested by admission/patching/foreseen_test.cc, tests/cli/mutation_checks.txt and against the oracle by
// tests/oracle/foreseen.py.
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
  const Expr* part = nullptr;  // that is wrong
  ExpressionPoint place;
  std::string text;      // the API server's words
  std::string hint;      // what was probably meant; may be empty
  bool guarded = false;  // a condition decides whether the expression comes here
};

// The mistakes of an expression that gives a configuration, or a list of JSON patches, for objects of `kind`, in the
// order of their places. `outliner` has the facts of the kind.
std::vector<Foreseen> foresee_configuration(Outliner& outliner, const KnownExpression& expression,
                                            const KindSchema& kind);
std::vector<Foreseen> foresee_patch(Outliner& outliner, const KnownExpression& expression,
                                    const KindSchema& kind);

// What a definition says of an object that mutations have made: fields that are dropped since it does not have them, and
// errors of values, each with its path.
struct DefinitionProblems {
  std::vector<std::string> unknown;
  std::vector<std::pair<std::string, std::string>> errors;
};
DefinitionProblems definition_problems(Arena& arena, const KindSchema& kind, const Value& object);

// The steps of a path as errors have it, spec.containers[0].image: names and indices.
std::vector<Value> read_way(Arena& arena, std::string_view path);

// "did you mean X?"; empty without a meaning.
std::string question(const std::string& meant);

// In the order of places, each once, at most kMostForeseen.
void sort_foreseen(std::vector<Foreseen>& all);

}  // namespace portcullis::patching
