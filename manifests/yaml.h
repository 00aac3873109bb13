// YAML and JSON files as Kubernetes reads them: text -> documents -> Values, and positions of their nodes.
//
// Idea: libyaml gives the events (kubectl's own reader is a port of it: same grammar, same words for errors);
// our part is what the scalars mean, as sigs.k8s.io/yaml decides it: YAML 1.1 booleans, octal and binary
// integers, `_` in numbers, integers too large as doubles, whole doubles as integers (they pass through JSON
// on the way), timestamps as strings, merge keys, aliases. Text that begins with `{` is read as JSON first.
// Positions are not kept: `locate` reads a document again, once (positions.h), and only what is shown asks
// for it. Kept from upstream: documents are split at lines that begin with `---`, wherever they stand
// (apimachinery util/yaml); a merge key overrides what stands before it. Stricter than upstream: a key that
// is given twice in one mapping is an error (goyaml's strict mode), in JSON as well; and so is a second document that
// goyaml sees where files are not split (behind `...`, between other line breaks than LF) and leaves out in silence.
// Limits: kMaxYamlDepth; aliases as goyaml bounds them. Tested by manifests/yaml_test.cc, fuzz/yaml.cc.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/result.h"
#include "interpreter/values/arena.h"
#include "interpreter/values/json.h"
#include "interpreter/values/value.h"

namespace portcullis {

// libyaml's scanner takes quadratic time in flow nesting (10,000 levels: a quarter second), so stop early;
// no Kubernetes object comes near.
inline constexpr int kMaxYamlDepth = 1000;

class Positions;

// One document of a file.
struct YamlDocument {
  std::string_view text;  // the part of the file that it stands in
  int line = 1;           // line of the file at which `text` starts
  int column = 1;         // and the column (JSON documents may share a line)
  int index = 1;          // 1 for the first of the file, empty documents counted
  Value value;            // null for a document without content
  mutable std::shared_ptr<const Positions> positions = {};  // of locate
};

// All documents of `text` (which must outlive them); values live in `arena`. The error names the first thing
// wrong, its position in `text`, and from the second document on which document it is in; `before` then takes the
// documents in front of it.
Result<std::vector<YamlDocument>> read_documents(std::string_view text, JsonReader& reader, Arena& arena,
                                                 std::vector<YamlDocument>* before = nullptr);

// The one YAML document of a text, without splitting. Positions count from the start of `text`.
Result<Value> read_yaml(std::string_view text, Arena& arena);

// Where the node at `path` stands in the file of `document`: a path as Kubernetes' errors have it,
// "spec.validations[0].expression", "metadata.labels[app]". A path that leads nowhere gives its
// deepest part that does. With `key`, the position of the field's name instead of its value. Not for
// several threads at once.
Position locate(const YamlDocument& document, std::string_view path, bool key = false);

// `v` as YAML, block style, keys in the order of the map; ends with a line break.
std::string to_yaml(const Value& v);

}  // namespace portcullis
