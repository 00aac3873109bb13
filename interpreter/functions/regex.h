// Regex: a compiled regular expression with Go's error texts, and the cache of those that are not constants.
//
// Idea: Go's regexp and RE2 share syntax and semantics; the wording of errors, the size limits and a few
// spellings differ (`(?<name>` is Go's alone, `\C` RE2's), and that is settled here. re2's headers stay in
// regex.cc. Limits: kPlainMemory bytes for a pattern and the automaton it builds while matching, kLargeMemory
// for one that does not compile in that; the cache holds kCached patterns and is emptied when full.
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
  // Compiles `pattern`; on failure `error()` says why in Go's words: "error parsing regexp:
  // missing closing ]: `[`".
  explicit Regex(std::string_view pattern);
  ~Regex();
  Regex(const Regex&) = delete;
  Regex& operator=(const Regex&) = delete;

  bool ok() const { return error_.empty(); }
  const std::string& error() const { return error_; }
  std::string_view pattern() const;

  // Whether the pattern matches somewhere in `text`.
  bool search(std::string_view text) const;
  // The leftmost match that starts at `from` or later. `groups[0]` gets the whole match, the rest the groups,
  // null data where a group took no part; groups may be shorter than that.
  bool find(std::string_view text, size_t from, std::span<std::string_view> groups) const;
  // Number of capturing groups.
  int groups() const;

  // Where a walk over all matches stands.
  struct Walk {
    size_t from = 0;                           // where to look next; beyond the end: finished
    size_t last_end = std::string_view::npos;  // end of the match before
  };
  // The next of the non-overlapping matches that Go's FindAll gives; an empty match right
  // behind another is none.
  bool next(std::string_view text, Walk& walk, std::span<std::string_view> groups) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::string error_;
};

// Patterns computed at run time, compiled once per thread. Not thread-safe.
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
