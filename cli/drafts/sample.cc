#include "cli/drafts/sample.h"

#include <algorithm>
#include <set>

#include "grammar/ascii.h"

namespace portcullis::drafts {
namespace {

// Reads a regular expression, and writes what it matches.
class Sample {
 public:
  explicit Sample(std::string_view regex) : in_(regex) {}
  std::string run() { return alternatives(0); }

 private:
  static constexpr int kDeepest = 50;
  static constexpr size_t kLongestSample = 4096;  // of what is written: repetitions of repetitions multiply
  bool at(char c) const { return at_ < in_.size() && in_[at_] == c; }
  // The first alternative; others are only read.
  std::string alternatives(int depth) {
    std::string out = sequence(depth);
    while (at('|')) at_++, sequence(depth);
    return out;
  }
  std::string sequence(int depth) {
    std::string out;
    while (at_ < in_.size() && !at('|') && !at(')')) {
      const std::string one = atom(depth);
      const int count = repetitions();
      for (int i = 0; i < count && out.size() + one.size() <= kLongestSample; i++) out += one;
    }
    return out;
  }
  std::string atom(int depth) {
    const char c = in_[at_++];
    if (c == '(') {
      if (at('?')) {  // of flags or a name
        while (at_ < in_.size() && !at(':') && !at('>') && !at(')')) at_++;
        if (at(')')) return at_++, "";
        at_++;
      }
      std::string out = depth < kDeepest ? alternatives(depth + 1) : "";
      if (at(')')) at_++;
      return out;
    }
    if (c == '[') return std::string(1, of_class());
    if (c == '^' || c == '$') return {};
    if (c == '.') return "x";
    if (c == '\\' && at_ < in_.size()) return escaped(in_[at_++]);
    return std::string(1, c);
  }
  static std::string escaped(char c) {
    switch (c) {
      case 'd': return "1";
      case 'w': return "x";
      case 'S':
      case 'D': return "x";
      case 's':
      case 'W': return " ";
      case 'b':
      case 'B':
      case 'A':
      case 'z': return {};
      default: return std::string(1, c);
    }
  }
  char of_class() {
    const bool negated = at('^');
    if (negated) at_++;
    std::set<char> in;
    char first = 0;
    for (bool begin = true; at_ < in_.size() && (begin || !at(']')); begin = false) {
      std::string one(1, in_[at_++]);
      if (one == "\\" && at_ < in_.size()) one = escaped(in_[at_++]);
      const char low = one.empty() ? 'x' : one[0];
      char high = low;
      if (at('-') && at_ + 1 < in_.size() && in_[at_ + 1] != ']') high = in_[at_ + 1], at_ += 2;
      if (first == 0) first = low;
      for (int c = low; c <= high; c++) in.insert(static_cast<char>(c));
    }
    if (at(']')) at_++;
    if (!negated) return in.contains('x') ? 'x' : first;
    for (char c : std::string_view("x1-A/")) {
      if (!in.contains(c)) return c;
    }
    return 'x';
  }
  int repetitions() {
    int count = 1;
    while (at_ < in_.size() && (at('*') || at('+') || at('?') || at('{'))) {
      const char c = in_[at_];
      if (c == '{') {
        if (at_ + 1 >= in_.size() || !is_digit(in_[at_ + 1])) break;
        constexpr int kMostTimes = 254;
        count = 0;
        for (at_++; at_ < in_.size() && is_digit(in_[at_]); at_++)
          count = std::min(kMostTimes, count * 10 + (in_[at_] - '0'));
        while (at_ < in_.size() && !at('}')) at_++;
      } else if (c == '*') {
        count = 0;
      }
      at_++;
    }
    return count;
  }

  std::string_view in_;
  size_t at_ = 0;
};

}  // namespace

std::string sample_of(std::string_view regex) { return Sample(regex).run(); }

}  // namespace portcullis::drafts
