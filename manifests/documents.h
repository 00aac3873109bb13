// The documents of a file, YAML or JSON, as kubectl reads them: splits the text, and finds positions of nodes.
//
// Idea: a text is a sequence of JSON values, or of chunks between separators, each YAML or JSON. Text that begins
// with `{` is first read as JSON. Numbers become what kubectl sends (1 for 1.0), except in an AdmissionReview, which
// an API server sends. Positions are not stored: `locate` reads a document once more (positions.h), and only for
// messages. Kept from upstream: every line that begins with `---` separates documents, even within a scalar. Stricter
// than upstream: a key that occurs twice is an error in JSON as well. Source of behaviour: apimachinery util/yaml
// (YAMLOrJSONDecoder). Tested by manifests/yaml_test.cc.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "grammar/result.h"
#include "interpreter/values/arena.h"
#include "interpreter/values/json.h"
#include "interpreter/values/value.h"

namespace portcullis {

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

// The error of an object in `json` that has a key twice. `value` is what was read from `json`.
std::optional<Error> repeated_key(std::string_view json, const Value& value);

// The position in `file`, the text of the document's file, of the node at `path`, which is a path of Kubernetes'
// errors: "spec.validations[0].expression", "metadata.labels[app]". If the path does not exist, the deepest existing
// node on it. With `key`, the position of the field's name. Thread-safe.
Position locate(std::string_view file, const YamlDocument& document, std::string_view path, bool key = false);

// Splits the text of a file into documents, one after the other, so that nobody needs all of them at once. Splitting
// is cheap, since it looks for separators and brackets alone; a document is read afterwards, perhaps on another
// thread. A copy of a splitter goes on where the first one stood.
class DocumentSplitter {
 public:
  enum class Form : uint8_t { Json, Yaml };
  // The form to try first.
  static Form likely_form(std::string_view text);

  // `text` must outlive the splitter and its pieces.
  DocumentSplitter(std::string_view text, Form form) : text_(text), rest_(text), form_(form) {}

  // A document without its value.
  struct Piece {
    YamlDocument document;
    std::string_view text;
    size_t keys = 0;  // of JSON
  };
  // The next one; nothing at the end of the text, or where it cannot be split.
  std::optional<Piece> next();
  // Why it cannot be split.
  const std::optional<Error>& error() const { return error_; }
  Form form() const { return form_; }

 private:
  std::optional<Piece> next_json();
  std::optional<Piece> next_chunk();

  Piece piece(size_t size, size_t keys);  // at the beginning of `rest_`

  std::string_view text_, rest_;
  Form form_;
  int line_ = 1, column_ = 1, index_ = 1;
  std::optional<Error> error_ = {};
};

// Sets the value of a document, which lives in `arena`; or returns its error, at its position in the text.
std::optional<Error> read_piece(DocumentSplitter::Piece& piece, DocumentSplitter::Form form,
                                JsonReader& reader, Arena& arena);

// Of the errors of a text in both forms, the one to show: true if that is the one of JSON.
bool likelier_as_json(const Error& json, const Error& yaml);

}  // namespace portcullis
