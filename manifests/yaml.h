// YAML as Kubernetes reads it, as values; and values as YAML.
//
// Idea: libyaml gives the events (kubectl's reader is a port of it: same grammar, same error texts). Our part
// is the meaning of scalars, which follows sigs.k8s.io/yaml: YAML 1.1 booleans, octal and binary integers,
// `_` in numbers, large integers as doubles, whole doubles as integers (they pass through JSON), timestamps
// as strings, merge keys, aliases. Kept from upstream: a merge key overrides what precedes it. Stricter than
// upstream: a key that occurs twice in one mapping is an error (goyaml's strict mode); so is a second document
// without separator line (after `...`, or between line breaks other than LF), which goyaml ignores silently.
// Limits: values nest at most kMaxJsonDepth deep, as in Go, with what aliases stand for; kMaxYamlWork; aliases
// as goyaml bounds them. Tested by manifests/yaml_test.cc, fuzz/yaml.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/result.h"
#include "interpreter/values/arena.h"
#include "interpreter/values/json.h"
#include "interpreter/values/value.h"

namespace portcullis {

// The most of what libyaml's scanner does for the events of a document: for each, it looks at every collection in
// flow style around it, some ten times. Go's does not, so this bound is ours alone; it ends a document after some
// seconds. 10,000 levels, as deep as JSON nests, take two fifths of it.
inline constexpr uint64_t kMaxYamlWork = 250'000'000;

// What becomes of a key that occurs twice in a mapping: kubectl refuses it, but where the API server is a
// client (answers of webhooks), the last one counts.
enum class RepeatedKeys { Refused, LastCounts };

// The only YAML document of a text, without splitting: a second one is an error. Positions count from the start of
// `text`.
Result<Value> read_yaml(std::string_view text, Arena& arena, RepeatedKeys repeated = RepeatedKeys::Refused);
// The same for a part of a file between separators, which begins at line `first_line` of it (documents.h).
Result<Value> read_yaml_chunk(std::string_view text, int first_line, Arena& arena);

// `v` as YAML: block style, keys in the order of the map; ends with a line break.
std::string to_yaml(const Value& v);
// A JSON text that this program wrote, as YAML.
std::string json_as_yaml(std::string_view json);

}  // namespace portcullis
