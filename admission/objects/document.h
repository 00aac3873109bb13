// Document: a JSON text as a tree that forgets nothing: duplicate keys, the digits of numbers,
// where each part stands.
//
// Idea: policies are read with Go's rules (sigs.k8s.io/json), whose errors speak of just those things, so the
// tree of values that decisions use (interpreter/values/json.h: last key wins, numbers converted) is not enough.
// Used when objects of admissionregistration.k8s.io are loaded and for the lines of the batch protocol; never
// per decision. Limits: kMaxDocumentDepth. Tested by fuzz/policy.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/result.h"

namespace portcullis {

// Nesting that Go's reader allows.
inline constexpr int kMaxDocumentDepth = 10000;

struct Document {
  enum class Kind : uint8_t { Null, Bool, Number, String, List, Object };
  Kind kind = Kind::Null;
  bool boolean = false;
  std::string text;             // String: its characters (invalid UTF-8 as U+FFFD); Number: its digits
  std::string_view raw;         // this part of the text that was read
  std::vector<Document> items;  // List
  std::vector<std::pair<std::string, Document>> members;  // Object: in order, with duplicates

  // Not inline: while Document is incomplete, clang 19 with libstdc++ 12 could not make those of `members`.
  Document();
  Document(const Document&);
  Document(Document&&) noexcept;
  Document& operator=(const Document&);
  Document& operator=(Document&&) noexcept;
  ~Document();

  bool is(Kind k) const { return kind == k; }
  // The last member of this name, or null. Not to be called for anything but an Object (gives null).
  const Document* find(std::string_view name) const;
};

// Reads one JSON text with nothing but white space around it. `raw` refers into `text`, which
// must outlive the tree.
Result<Document> read_document(std::string_view text);

}  // namespace portcullis
