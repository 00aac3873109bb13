// YAML and JSON files as Kubernetes reads them: splits text into documents, makes Values, and finds positions
// of nodes.
//
// Idea: libyaml gives the events (kubectl's reader is a port of it: same grammar, same error texts). Our part
// is the meaning of scalars, which follows sigs.k8s.io/yaml: YAML 1.1 booleans, octal and binary integers,
// `_` in numbers, large integers as doubles, whole doubles as integers (they pass through JSON), timestamps
// as strings, merge keys, aliases. Text that begins with `{` is first read as JSON. Positions are not stored:
// `locate` reads a document once more (positions.h), and only for messages. Kept from upstream: every line
// that begins with `---` separates documents, even within a scalar (apimachinery util/yaml); a merge key
// overrides what precedes it. Stricter than upstream: a key that occurs twice in one mapping is an error
// (goyaml's strict mode), in JSON as well; so is a second document without separator line (after `...`, or
// between line breaks other than LF), which goyaml ignores silently. Limits: values nest at most kMaxJsonDepth deep, as
// in Go, with what aliases stand for; kMaxYamlWork; aliases as goyaml bounds them. Tested by manifests/yaml_test.cc, fuzz/yaml.cc.
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

// The most of what libyaml's scanner does for the events of a document: for each, it looks at every collection in flow style
// around it, some ten times. Go's does not, so this bound is ours alone; it ends a document after some seconds. 10,000
// levels, as deep as JSON nests, take two fifths of it.
inline constexpr uint64_t kMaxYamlWork = 250'000'000;

class Positions;

// One document of a file.
struct YamlDocument {
  size_t start = 0, size = 0;  // its part of the text of the file
  int line = 1;                // the line of the file at which it starts
  int column = 1;              // its column there (JSON documents may share a line)
  int index = 1;               // 1 for the first of the file; empty documents count
  Value value;                 // null for a document without content
  mutable std::shared_ptr<const Positions> positions = {};  // for locate()

  std::string_view in(std::string_view file) const { return file.substr(start, size); }
};

// All documents of `text`; values live in `arena`. An error is the first one, with
// its position in `text` and, from the second document on, the number of the document; `before` then receives
// the documents before it.
Result<std::vector<YamlDocument>> read_documents(std::string_view text, JsonReader& reader, Arena& arena,
                                                 std::vector<YamlDocument>* before = nullptr);

// What becomes of a key that occurs twice in a mapping: kubectl refuses it, but where the API server is a
// client (answers of webhooks), the last one counts.
enum class RepeatedKeys { Refused, LastCounts };

// The only YAML document of a text, without splitting: a second one is an error. Positions count from the start of `text`.
Result<Value> read_yaml(std::string_view text, Arena& arena, RepeatedKeys repeated = RepeatedKeys::Refused);

// The error of an object in `json` that has a key twice. `value` is what was read from `json`.
std::optional<Error> repeated_key(std::string_view json, const Value& value);

// The position in `file`, the text of the document's file, of the node at `path`, which is a path of Kubernetes'
// errors: "spec.validations[0].expression", "metadata.labels[app]". If the path does not exist, the deepest existing
// node on it. With `key`, the position of the field's name. Thread-safe.
Position locate(std::string_view file, const YamlDocument& document, std::string_view path, bool key = false);

// `v` as YAML: block style, keys in the order of the map; ends with a line break.
std::string to_yaml(const Value& v);
// A JSON text that this program wrote, as YAML.
std::string json_as_yaml(std::string_view json);

}  // namespace portcullis
