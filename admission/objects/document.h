// Document: a JSON text as a tree that keeps duplicate keys, the digits of numbers and the place of each
// part.
//
// Idea: the API server reads policies with sigs.k8s.io/json, whose errors concern exactly these things. The
// values that decisions use (interpreter/values/json.h) lose them: there the last key wins, and numbers are
// converted. Documents are used to load objects of admissionregistration.k8s.io and to read lines of the
// batch protocol, but never for a decision.
// Source of behaviour: Go's encoding/json, sigs.k8s.io/json. Limits: kMaxJsonDepth. Tested by
// admission/objects/document_test.cc, fuzz/policy.cc, fuzz/json.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/result.h"

namespace portcullis {

struct Document {
  enum class Kind : uint8_t { Null, Bool, Number, String, List, Object };
  Kind kind = Kind::Null;
  bool boolean = false;
  std::string text;             // String: its characters (invalid UTF-8 as U+FFFD); Number: its digits
  std::string_view raw;         // the part of the input that this node was read from
  std::vector<Document> items;  // List
  std::vector<std::pair<std::string, Document>> members;  // Object: in order, duplicates included

  // Defined out of line: clang 19 with libstdc++ 12 cannot generate those of `members` while Document is
  // incomplete.
  Document();
  Document(const Document&);
  Document(Document&&) noexcept;
  Document& operator=(const Document&);
  Document& operator=(Document&&) noexcept;
  ~Document();

  bool is(Kind k) const { return kind == k; }
  // The last member of this name; null if there is none or if this is no Object.
  const Document* find(std::string_view name) const;
};

// Reads one JSON text; only white space may surround it. `raw` refers to `text`, which must outlive the tree. An error
// is that of JsonReader, but numbers have no limit.
Result<Document> read_document(std::string_view text);

// What Go's errors of decoding call such a JSON value: "bool", "number", "string", "array" or "object".
std::string_view json_word(const Document& d);

}  // namespace portcullis
