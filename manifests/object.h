// A file's documents -> Kubernetes objects, each with the place it came from.
//
// Idea: kubectl's rules. A document has one object or a List of them, of whatever depth; the elements of a typed list
// (PodList) need not say what they are. An object refers to its file and document, so that everything that is said of
// it can name file, line and column. Tested by tests/cli/files.txt.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/values/arena.h"
#include "interpreter/values/member.h"
#include "manifests/yaml.h"

namespace portcullis {

struct SourceFile {
  std::string name;  // as given, "<stdin>" for standard input
  std::string text;  // in UTF-8
  std::vector<YamlDocument> documents;
};

// An object with apiVersion and kind. Views and values live as long as the file
// and the arena that it was read into.
struct InputObject {
  const SourceFile* file = nullptr;
  const YamlDocument* document = nullptr;
  std::string path;  // "items[2]" for an element of a List, else empty
  Value value;
  std::string_view api_version, kind, name, namespace_name;  // the last two may be empty

  // Position in the file of the node at a field path of the object.
  Position locate(std::string_view field, bool key = false) const;
  // That of a code point of `text`, which is the one at the path; of the node if it is not.
  Position locate_in(std::string_view field, std::string_view text, int code_point) const;
  // That of a line and column of it; nothing if it is not.
  std::optional<Position> place_in(std::string_view field, std::string_view text, Position position) const;
  std::string_view group() const;
};

// Is told what is wrong, where in the file.
using Refuse = std::function<void(Position position, std::string_view text)>;
// Appends the objects of `document`, which stands in `file`, to `out`. What is none goes to `refuse`. Views and values
// live as long as the file and `arena`. A document without content is not for it.
void split_document(const SourceFile& file, const YamlDocument& document, Arena& arena, const Refuse& refuse,
                    std::vector<InputObject>& out);

// `map` with `key` set to `value`, at the end unless it is there; in the arena.
Value with_member(const Value& map, std::string_view key, const Value& value, Arena& arena);
// The node at a path as "spec.validations[0].expression", or null.
const Value* find_path(const Value& root, std::string_view path);

}  // namespace portcullis
