// Splits the documents of a file into Kubernetes objects, each with its place.
//
// Idea: the rules are kubectl's. A document has one object or a list of objects: whatever has `items` is a list, and
// the items of a typed list (PodList) need no apiVersion and kind. A list within a list is reported, and its items are
// taken. An object refers to its file and document, so that messages about it can name file, line and column. Tested by
// tests/cli/files.txt.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/values/arena.h"
#include "interpreter/values/member.h"
#include "manifests/documents.h"
#include "manifests/source_text.h"

namespace portcullis {

namespace crd {
class RuleMemo;
}

struct SourceFile {
  std::string name;  // as given; "<stdin>" for standard input
  SourceText text;   // in UTF-8
  std::vector<YamlDocument> documents;
};

// An object with apiVersion and kind. Its views and values live as long as the file and the arena that it was
// read into.
struct InputObject {
  const SourceFile* file = nullptr;
  const YamlDocument* document = nullptr;
  std::string path;  // "items[2]" for an element of a List, else empty
  Value value;
  std::string_view api_version, kind, name, namespace_name;  // the last two may be empty
  // Of a definition that differs from others in rules alone: what these have compiled. May be null.
  crd::RuleMemo* rule_memo = nullptr;

  // The position in the file of the node at a field path of the object.
  Position locate(std::string_view field, bool key = false) const;
  // The position of a code point of `text`, the text at the path; if the text differs, that of the node.
  Position locate_in(std::string_view field, std::string_view text, int code_point) const;
  // That of a line and column of it; nothing if it is not.
  std::optional<Position> place_in(std::string_view field, std::string_view text, Position position) const;
  // Those of all bytes of it; white space has none. Empty if the text differs.
  std::vector<Position> places_in(std::string_view field, std::string_view text) const;
  std::string_view group() const;
};

// Receives an error and its position in the file.
using Refuse = std::function<void(Position position, std::string_view text)>;
// Appends the objects of `document` in `file` to `out`, and reports documents that are none to `refuse`.
// Views and values live as long as the file and `arena`. The document must have content.
void split_document(const SourceFile& file, const YamlDocument& document, Arena& arena, const Refuse& refuse,
                    std::vector<InputObject>& out);

// The error for `member` of an object that is no text: "kind is no text: without quotes Y is a bool; write "Y"".
std::string no_text(const InputObject& object, std::string_view member);

// The node at a path such as "spec.validations[0].expression" or "metadata.labels[a.b/c]"; null if there is none. A
// dot in front is ignored. Names without characters stand in brackets, and brackets of a list hold digits alone.
const Value* find_path(const Value& root, std::string_view path);
// The elements of the list at a path; none if there is no list.
std::span<const Value> list_at(const Value& root, std::string_view path);

}  // namespace portcullis
