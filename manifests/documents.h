// The documents of a file, YAML or JSON, as kubectl reads them: splits the text, and finds positions of nodes.
//
// Idea: a text is a sequence of JSON values, or of chunks of YAML between separators. Text that begins with `{` is
// JSON, unless its first or second value is none: what is not read yet is YAML then. Numbers become what
// kubectl sends (1 for 1.0), except in an AdmissionReview, which an API server sends. Positions are not stored:
// `locate` reads a document once more (positions.h), and only for messages. Kept from upstream: every line that
// begins with `---` separates documents, even within a scalar. Stricter than upstream: a key that occurs twice is an
// error in JSON as well. Source of behaviour: apimachinery util/yaml (YAMLOrJSONDecoder). Tested by
// manifests/yaml_test.cc.
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
  bool json = false;           // it is JSON, not YAML
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

  // `text` must outlive the splitter and its pieces.
  explicit DocumentSplitter(std::string_view text);

  // A document without its value.
  struct Piece {
    YamlDocument document;
    std::string_view text;
    std::optional<size_t> keys = {};  // of JSON, if they are counted
  };
  // The next one; nothing at the end of the text, or where it cannot be split.
  std::optional<Piece> next();
  // Why it cannot be split.
  const std::optional<Error>& error() const { return error_; }
  // Of what comes next.
  Form form() const { return form_; }
  // Where the last piece is no JSON: reads its text and what follows as YAML, if kubectl does. False if it does not,
  // and then nothing changes.
  bool turn_to_yaml();

 private:
  std::optional<Piece> next_json();
  std::optional<Piece> next_chunk();

  Piece piece(size_t size);  // at the beginning of `rest_`
  void move_on(size_t length);

  std::string_view text_, rest_;
  Form form_;
  int line_ = 1, column_ = 1, index_ = 1;
  struct {
    size_t start = 0;
    int line = 1, column = 1, index = 1;
  } last_;  // where the text of the last value of JSON begins, with the space before it
  std::optional<Error> error_ = {};
};

// Sets the value of a document, which lives in `arena`; or returns its error, at its position in the text.
std::optional<Error> read_piece(DocumentSplitter::Piece& piece, JsonReader& reader, Arena& arena);

}  // namespace portcullis
