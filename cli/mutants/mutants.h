// Mutants: copies of policies, bindings and definitions with one small change each. A suite that passes with a
// mutant does not test what was changed.
//
// Idea: a mutant is a list of edits of fields, so it takes no memory to speak of; whoever runs it makes the object.
// Expressions change as in expressions.h; other fields lose an element, a selector or a rule, or take the other value.
// What only widens the operations or resources of rules is not tried: it would ask for a case of everything that a
// policy leaves alone. Neither are texts of messages and annotations.
// Tested by cli/mutants/mutants_test.cc, tests/cli/mutants.txt.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "manifests/object.h"

namespace portcullis {

// The steps from an object to a field: names of members, and indices of lists. A text would not do: names of
// properties may have any character, brackets too.
using FieldSteps = std::vector<std::variant<std::string, size_t>>;
// "spec.versions[0].schema", for people; names that are not plain are in brackets.
std::string path_of(const FieldSteps& steps);

// Sets a field to a JSON text; an empty text removes it.
struct FieldEdit {
  FieldSteps at;
  std::string json;
};

struct Mutant {
  const InputObject* object = nullptr;  // the policy, binding or definition
  FieldEdit edit;
  std::string sort;                // "comparison", "operand", "failurePolicy", ...
  Position position;               // in the file
  std::string old_text, new_text;  // of the field
  std::string hint;                // the case that is missing if none notices it
  bool whole = false;              // the expression in the field has no effect any more
  bool widens = false;             // the policy may match requests that it does not match now
};

// Whether it is a CustomResourceDefinition, whose rules change.
bool is_definition(const InputObject& object);

// The mutants of a policy, binding or definition, in the order of the file. Empty for other objects.
// `versions`: whether its resources have other served versions, which matchPolicy decides about.
std::vector<Mutant> mutants_of(const InputObject& object, bool versions);

// The object with the edit; new values live in the arena.
Value edited(const Value& object, const FieldEdit& edit, Arena& arena);

// The lines of the field that the mutant changes, after "- " and "+ ".
std::string difference(const Mutant& mutant, std::string_view indent);

}  // namespace portcullis
