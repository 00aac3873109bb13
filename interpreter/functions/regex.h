// Regex: a compiled regular expression with Go's error texts. RegexCache: those whose pattern is no constant.
//
// Idea: Go's regexp and RE2 share syntax and semantics. They differ in the texts of errors, in size limits
// and in some spellings (regex_spelling.h); this class hides the differences.
// Only regex.cc includes RE2's headers.
// Limits: Regex::Memory bounds a pattern and the automata of its searches. Go compiles every pattern of a few
// kilobytes in milliseconds; RE2 writes classes out as bytes, so `\pL{1000}` takes a second and tens of megabytes.
// A policy may ask for that, an object that brings a pattern may not. So a pattern is only parsed at first, and
// compiled when it is searched for, unless it is so long that Go may find it too large. The cache is emptied when it is
// full.
// Tested by interpreter/functions/regex_test.cc.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace portcullis {

class Regex {
 public:
  // Bytes: `most` for a pattern that `usual` is not enough to compile.
  struct Memory {
    int64_t usual, most;
  };
  // Of patterns that policies and definitions have. Go allows programs of 128 MB.
  static constexpr Memory kWritten = {8 << 20, 256 << 20};
  // Of patterns that are computed, as those that objects bring.
  static constexpr Memory kComputed = {1 << 20, 16 << 20};

  // Parses `pattern`. On failure `error()` is Go's text: "error parsing regexp: missing closing ]: `[`".
  explicit Regex(std::string_view pattern, const Memory& memory = kWritten);
  ~Regex();
  Regex(const Regex&) = delete;
  Regex& operator=(const Regex&) = delete;

  bool ok() const { return error_.empty() && !is_too_large(); }
  // Whether it is compiled; if not, the next search takes the time for that.
  bool is_compiled() const;
  // Compiles it, if it is not compiled. False if it needs more than its memory. Thread-safe, as are searches.
  bool compile() const;
  // Whether it was to be compiled, and needs more than its memory.
  bool is_too_large() const;
  // What it may take once it is compiled, in bytes.
  size_t memory() const;
  std::string error() const;
  std::string_view pattern() const;

  // Whether the pattern matches somewhere in `text`.
  bool search(std::string_view text) const;
  // The leftmost match that starts at `from` or later. `groups[0]` gets the whole match, the others the
  // capturing groups, with null data if a group took no part. `groups` may be shorter than that.
  bool find(std::string_view text, size_t from, std::span<std::string_view> groups) const;
  // Number of capturing groups.
  int groups() const;

  // The state of an iteration over all matches.
  struct Walk {
    size_t from = 0;                           // where to search next; beyond the end: finished
    size_t last_end = std::string_view::npos;  // the end of the previous match
  };
  // Finds the next of the non-overlapping matches that Go's FindAll returns; like FindAll, skips an empty
  // match right behind another match.
  bool next(std::string_view text, Walk& walk, std::span<std::string_view> groups) const;

 private:
  const re2::RE2& compiled() const;

  struct State;
  std::unique_ptr<State> state_;
  std::string error_;
};

// Keeps patterns that are not known when a program is made, so that a thread compiles each once. Not thread-safe.
class RegexCache {
 public:
  static constexpr size_t kMost = 64, kMostBytes = 64 << 20;
  explicit RegexCache(const Regex::Memory& memory = Regex::kComputed);
  ~RegexCache();
  // The pattern if it is kept; else null.
  const Regex* find(std::string_view pattern) const;
  // The pattern, compiled if it is not kept. Good until the next call.
  const Regex& get(std::string_view pattern);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace portcullis
