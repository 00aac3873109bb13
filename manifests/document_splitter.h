// Splits the text of a file into documents, one after the other, so that nobody needs all of them at once.
//
// Idea: splitting is cheap, since it looks for separators and brackets alone; a document is read afterwards, perhaps on
// another thread. A copy of a splitter goes on where the first one stood. A text is a sequence of JSON values or of
// chunks between separators; which one it is shows when it is read (read_documents in yaml.h says how). Tested by
// manifests/yaml_test.cc.
#pragma once

#include <optional>
#include <string_view>

#include "grammar/result.h"
#include "interpreter/values/arena.h"
#include "interpreter/values/json.h"
#include "manifests/yaml.h"

namespace portcullis {

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
