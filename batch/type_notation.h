// Names of types in the batch protocol and in the conformance tables. Tested by tests/conformance, tests/kubernetes.
#pragma once

#include <string_view>

#include "grammar/result.h"
#include "interpreter/values/value.h"
#include "typecheck/type.h"

namespace portcullis {

// Parses a type of the protocol: "int", "list(T)", "quantity", "request". Errors are for `inputError`.
Result<const Type*> parse_batch_type(std::string_view text, TypePool& pool);

// Reads a type of the tables: a name, or {"list": T}, {"map": [K, V]}, {"wrapper": T}, {"message": name},
// {"type_param": name}, {"type": T}, {"abstract": {"name", "params"}}.
Result<const Type*> read_table_type(const Value& json, TypePool& pool);

}  // namespace portcullis
