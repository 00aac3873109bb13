// The text of a file, which can be packed: a message needs it, and most runs have few messages.
//
// Idea: texts of manifests repeat themselves, so LZ4 packs them in a millisecond or two for a megabyte. Who reads a
// packed text has it unpacked, once.
// Tested by manifests/source_text_test.cc.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace portcullis {

class SourceText {
 public:
  SourceText() = default;
  SourceText(std::string text) : text_(std::move(text)) {}

  // Thread-safe. Views live until pack(), and those of a packed text as long as it.
  operator std::string_view() const { return packed_ == nullptr ? text_ : unpacked(); }
  std::string_view view() const { return *this; }
  // Packs a text that is large enough to be worth it.
  void pack();
  // The bytes that it takes until somebody reads it. Not while somebody does.
  size_t memory() const;

 private:
  struct Packed;
  std::string_view unpacked() const;

  std::string text_;
  std::shared_ptr<Packed> packed_;  // null: it is not packed
};

}  // namespace portcullis
