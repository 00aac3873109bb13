// The value of a YAML scalar: goyaml v2's resolver, then the conversion through JSON that sigs.k8s.io/yaml
// makes. Idea: pure functions on text, with the tables of goyaml. Source of behaviour: gopkg.in/yaml.v2
// resolve.go. Tested by manifests/yaml_test.cc.
#pragma once

#include <string_view>

#include "grammar/result.h"
#include "interpreter/values/arena.h"
#include "interpreter/values/value.h"

namespace portcullis {

// The value of a scalar with this text. `tag` is its explicit tag in the long form ("tag:yaml.org,2002:int"),
// or empty; `plain`: it is neither quoted nor a block. Fails with goyaml's error.
Result<Value> resolve_scalar(std::string_view text, std::string_view tag, bool plain, Arena& arena);

// The same for a key, which always becomes a text ("true" for `yes:`, "1" for `0x1:`).
Result<Value> resolve_key(std::string_view text, std::string_view tag, bool plain, Arena& arena);

// A double that has been written as JSON by Go and read again: an int if its shortest decimal is an integer of 64 bits.
Value from_double(double d);

}  // namespace portcullis
