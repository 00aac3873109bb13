// Signature: parses the signature text of a Function row.
//
// Idea: "string.startsWith(string) -> bool" is read once when an environment is built.
//   signature = [receiver "."] name "(" [type {", " type}] ")" " -> " type
//   A head with a dot is a member call if what stands before its last dot is a type: a basic name (string,
//   int, timestamp, ...), one capital letter, something with parentheses (list(A)), or a dotted name whose
//   last part begins with a capital (net.IP, kubernetes.Quantity). Else it is the dotted name of a global
//   function ("sets.contains(list(T), list(T)) -> bool", "optional.of(V) -> optional_type(V)",
//   "math.@max(int) -> int").
//   Operators are named as in grammar/ast.h: "_+_(int, int) -> int", "_[_](list(A), int) -> A".
//   type = bool int uint double string bytes null_type dyn any timestamp duration type error
//        | list(T) | map(K, V) | type(T) | optional_type(T) | wrapper(P)
//        | A (one capital: a type parameter) | dotted.Name
//   A type nests at most 1,000 deep.
//   Dotted names: google.protobuf well-known names stand for their types, net.* is opaque, others are
//   structs.
// Tested by typecheck/signature_test.cc.
#pragma once

#include <string_view>
#include <vector>

#include "grammar/result.h"
#include "typecheck/type.h"

namespace portcullis {

struct Signature {
  std::string_view name;          // part of the text: "startsWith", "sets.contains", "_+_"
  bool member = false;            // args[0] is the receiver
  std::vector<const Type*> args;  // receiver first
  const Type* result = nullptr;
  std::vector<const Type*> type_params;  // distinct type parameters, in order of appearance
};

// Parses `text`; makes composed types in `pool`. An error describes a mistake in the text.
Result<Signature> parse_signature(std::string_view text, TypePool& pool);

// Parses one type in the notation above.
Result<const Type*> parse_type(std::string_view text, TypePool& pool);

}  // namespace portcullis
