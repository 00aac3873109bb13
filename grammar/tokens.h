// The text and the tokens of one parse, as ANTLR wants to see them.
//
// Idea: TokenList finds all tokens of a text at once, by rows that it has learned from the generated lexer
// (learned_rows.h); it leaves out what is hidden and takes no error. RuneStream is the text.
// Limits: a text with an error is the business of ANTLR's own lexer and token stream (parse.cc).
// Tested by grammar/parse_test.cc.
#pragma once

#include <CharStream.h>
#include <TokenStream.h>

#include <algorithm>
#include <string>
#include <vector>

#include "grammar/context.h"
#include "grammar/source.h"

namespace portcullis {

// The code points of a Source as an ANTLR stream. (ANTLR's own stream drops a byte order mark.)
class RuneStream : public antlr4::CharStream {
 public:
  explicit RuneStream(const Source& source) : source_(source) {}

  void consume() override { ++position_; }
  size_t LA(ssize_t i) override {
    if (i == 0) return 0;
    const ssize_t at = static_cast<ssize_t>(position_) + (i < 0 ? i : i - 1);
    return at < 0 || at >= source_.size() ? EOF : source_.runes()[static_cast<size_t>(at)];
  }
  ssize_t mark() override { return -1; }
  void release(ssize_t) override {}
  size_t index() override { return position_; }
  void seek(size_t index) override { position_ = std::min(index, size()); }
  size_t size() override { return static_cast<size_t>(source_.size()); }
  std::string getSourceName() const override { return source_.description(); }
  std::string getText(const antlr4::misc::Interval& range) override {
    return source_.slice(static_cast<int32_t>(range.a), static_cast<int32_t>(range.b) + 1);
  }
  std::string toString() const override { return source_.text(); }

 private:
  const Source& source_;
  size_t position_ = 0;
};

// The tokens of a text without those that are hidden. Needs the thread's ParsePool (context.h).
class TokenList final : public antlr4::TokenStream {
 public:
  // `stream` is the same text; the tokens refer to it.
  TokenList(const Source& source, RuneStream& stream);

  // False if the text has an error. There are fewer tokens then.
  bool ok() const { return ok_; }
  // The types of the tokens from the current one on, as the generated parser numbers them; the last is 0, the
  // end of the text.
  const uint8_t* ahead() const { return &types_[position_]; }

  antlr4::Token* LT(ssize_t k) override;
  size_t LA(ssize_t k) override { return LT(k)->getType(); }
  void consume() override { ++position_; }
  ssize_t mark() override { return 0; }
  void release(ssize_t) override {}
  size_t index() override { return position_; }
  void seek(size_t index) override { position_ = std::min(index, tokens_.size() - 1); }
  size_t size() override { return tokens_.size(); }
  antlr4::Token* get(size_t index) const override { return tokens_[index].get(); }
  // Only asked for texts of errors, which nobody reads.
  antlr4::TokenSource* getTokenSource() const override { return nullptr; }
  std::string getText(const antlr4::misc::Interval&) override { return {}; }
  std::string getText() override { return {}; }
  std::string getText(antlr4::RuleContext*) override { return {}; }
  std::string getText(antlr4::Token*, antlr4::Token*) override { return {}; }
  std::string getSourceName() const override { return source_.description(); }

 private:
  bool scan();
  bool learn();
  void add(size_t type, size_t start, size_t stop, size_t line, size_t column);

  const Source& source_;
  RuneStream& stream_;
  std::vector<std::unique_ptr<PooledToken>> tokens_;
  std::vector<uint8_t> types_;
  size_t position_ = 0;
  bool ok_;
};

}  // namespace portcullis
