// What a YAML scalar means: goyaml v2's resolver, followed by the detour over JSON that
// sigs.k8s.io/yaml makes.
//
// Idea: pure functions on text; the tables are goyaml's. Tested by manifests/yaml_test.cc.
#pragma once

#include <string>
#include <string_view>

#include "grammar/result.h"
#include "interpreter/values/arena.h"
#include "interpreter/values/value.h"

namespace portcullis {

// The value of a scalar of this text. `tag` is the explicit tag in its long form ("tag:yaml.org,2002:int"),
// or empty; `plain`: neither quoted nor a block. The error says what goyaml says.
Result<Value> resolve_scalar(std::string_view text, std::string_view tag, bool plain, Arena& arena);

// The same for a key, which is always a text in the end ("true" for `yes:`, "1" for `0x1:`).
Result<Value> resolve_key(std::string_view text, std::string_view tag, bool plain, Arena& arena);

}  // namespace portcullis
