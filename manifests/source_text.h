// The text of a file, which can be packed: a message needs it, and most runs have few messages.
//
// Idea: texts of manifests repeat themselves, so LZ4 packs them in a millisecond or two for a megabyte. Who reads a
// packed text has it unpacked, once. A file may have very many messages, on one line or on many, so a large text
// keeps marks, from which the search for a line and column goes on.
// Tested by manifests/source_text_test.cc.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "grammar/result.h"

namespace portcullis {

// A character of a text: its line and column (in code points, from 1), and the byte offsets of the first character of
// its line and of itself.
struct TextMark {
  Position position = {1, 1};
  size_t line_start = 0, at = 0;
};

class SourceText {
 public:
  SourceText() = default;
  SourceText(std::string text);

  // Thread-safe. Views live until pack(), and those of a packed text as long as it.
  operator std::string_view() const { return packed_ == nullptr ? text_ : unpacked(); }
  std::string_view view() const { return *this; }
  // Packs a text that is large enough to be worth it.
  void pack();
  // The bytes that it takes until somebody reads it. Not while somebody does.
  size_t memory() const;

 private:
  friend class PointedText;
  struct Packed;
  struct Marks;
  std::string_view unpacked() const;

  std::string text_;
  std::shared_ptr<Packed> packed_;  // null: it is not packed
  std::shared_ptr<Marks> marks_;    // null: the text is small
};

// A view of a text that messages point into: that of a file, or a short one. It lives as long as a view of the text.
class PointedText {
 public:
  PointedText() = default;
  PointedText(std::string_view text) : text_(text) {}
  PointedText(const std::string& text) : text_(text) {}
  PointedText(const char* text) : text_(text) {}
  PointedText(const SourceText& text) : text_(text), marks_(text.marks_.get()) {}

  operator std::string_view() const { return text_; }
  bool empty() const { return text_.empty(); }
  // A character at or before this position, and not far from it if the text is that of a large file; the first one if
  // there is no other.
  TextMark mark_before(Position position) const;

 private:
  std::string_view text_;
  SourceText::Marks* marks_ = nullptr;
};

}  // namespace portcullis
