// Regex: a compiled regular expression with Go's error texts. RegexCache: those whose pattern is no constant.
//
// Idea: Go's regexp and RE2 share syntax and semantics. They differ in the texts of errors, in size limits
// and in some spellings (regex_spelling.h); this class hides the differences.
// Only regex.cc includes RE2's headers.
// Limits: kPlainMemory bytes for a pattern and its automaton, kLargeMemory for a pattern that needs more to
// compile; the cache holds kCached patterns and is emptied when full.
// Tested by interpreter/functions/regex_test.cc.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace portcullis {

class Regex {
 public:
  // Compiles `pattern`. On failure `error()` is Go's text: "error parsing regexp: missing closing ]: `[`".
  explicit Regex(std::string_view pattern);
  ~Regex();
  Regex(const Regex&) = delete;
  Regex& operator=(const Regex&) = delete;

  bool ok() const { return error_.empty(); }
  const std::string& error() const { return error_; }
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
  struct State;
  std::unique_ptr<State> state_;
  std::string error_;
};

// Keeps patterns that are computed at run time, so that a thread compiles each once. Not thread-safe.
class RegexCache {
 public:
  static constexpr size_t kCached = 64;
  RegexCache();
  ~RegexCache();
  const Regex& get(std::string_view pattern);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace portcullis
