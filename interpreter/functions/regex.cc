#include "interpreter/functions/regex.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <unordered_map>

#include "grammar/ascii.h"
#include "grammar/utf8.h"
#include "interpreter/functions/call.h"
#include "interpreter/functions/regex_spelling.h"

namespace portcullis {
namespace {

constexpr int kMostGroups = 64;  // the most groups that a caller may ask for
// Enough to parse any pattern. What does not fit into it is compiled no further.
constexpr int64_t kToParse = 16 << 10;
// Go takes up to 3.3 million instructions. A byte of a pattern stands for at most two, a thousand times repeated;
// shorter patterns are never too large.
constexpr size_t kMayBeTooLarge = 1600;

// Go's words for an error code of RE2.
std::string_view words(RE2::ErrorCode code) {
  switch (code) {
    case RE2::ErrorBadEscape: return "invalid escape sequence";
    case RE2::ErrorBadCharClass: return "invalid character class";
    case RE2::ErrorBadCharRange: return "invalid character class range";
    case RE2::ErrorMissingBracket: return "missing closing ]";
    case RE2::ErrorMissingParen: return "missing closing )";
    case RE2::ErrorUnexpectedParen: return "unexpected )";
    case RE2::ErrorTrailingBackslash: return "trailing backslash at end of expression";
    case RE2::ErrorRepeatArgument: return "missing argument to repetition operator";
    case RE2::ErrorRepeatSize: return "invalid repeat count";
    case RE2::ErrorRepeatOp: return "invalid nested repetition operator";
    case RE2::ErrorBadPerlOp: return "invalid or unsupported Perl syntax";
    case RE2::ErrorBadUTF8: return "invalid UTF-8";
    case RE2::ErrorBadNamedCapture: return "invalid named capture";
    case RE2::ErrorPatternTooLarge: return "expression too large";
    default: return "regexp/syntax: internal error";
  }
}

// Whether the error concerns the whole pattern.
bool concerns_all(RE2::ErrorCode code) {
  return code == RE2::ErrorMissingParen || code == RE2::ErrorUnexpectedParen ||
         code == RE2::ErrorPatternTooLarge;
}

// Whether Go refuses the counts of a repetition "{min,max}", whatever stands before it.
bool bad_counts(std::string_view braces) {
  constexpr long kMostRepeats = 1000;
  long min = 0, max = -1;
  size_t i = 1;
  auto number = [&](long& n) {
    for (n = 0; i < braces.size() && is_digit(braces[i]); ++i) n = std::min(n * 10 + braces[i] - '0', 10000L);
  };
  number(min);
  if (i < braces.size() && braces[i] == '}') max = min;
  if (i + 1 < braces.size() && braces[i] == ',' && braces[i + 1] != '}') ++i, number(max);
  return min > kMostRepeats || max > kMostRepeats || (max >= 0 && min > max);
}

// An error as Go reports it.
struct Complaint {
  RE2::ErrorCode code;
  std::string what;
};

Complaint complaint(const RE2& re, const Spelling& spelling, std::string_view pattern) {
  RE2::ErrorCode code = re.error_code();
  if (concerns_all(code)) return {code, std::string(pattern)};
  std::string what = spelling.original(re.error_arg(), pattern);
  // At the end of the pattern inside of \x{ RE2 reports invalid UTF-8.
  if (code == RE2::ErrorBadUTF8 && what.empty()) return {RE2::ErrorBadEscape, "\\x{"};
  // Go checks the counts of a repetition first, and reports it without a '?' behind it.
  if (code == RE2::ErrorRepeatOp || code == RE2::ErrorRepeatSize) {
    size_t brace = what.rfind('{');
    if (brace != std::string::npos && bad_counts(std::string_view(what).substr(brace))) {
      return {RE2::ErrorRepeatSize, what.substr(brace, what.find('}', brace) + 1 - brace)};
    }
  }
  return {code, what};
}

std::unique_ptr<RE2> compile(const std::string& pattern, int64_t memory) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(memory);
  return std::make_unique<RE2>(pattern, options);
}

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

struct Regex::State {
  std::string pattern;
  Memory memory;
  // RE2 matches \B between the bytes of a code point, Go does not.
  bool splits_runes = false;
  std::mutex mutex;  // of compiling
  std::unique_ptr<RE2> owned;
  std::atomic<const RE2*> re = nullptr;
  std::atomic<bool> too_large = false;
  size_t taken = 0;
};

Regex::Regex(std::string_view pattern, const Memory& memory) : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.pattern = pattern;
  s.memory = memory;
  s.splits_runes = pattern.find("\\B") != pattern.npos;
  Spelling spelling = respell(pattern);
  const auto parsed = portcullis::compile(spelling.text, kToParse);
  if (parsed->ok() || parsed->error_code() == RE2::ErrorPatternTooLarge) {
    if (pattern.size() >= kMayBeTooLarge) compile();
    return;
  }
  Complaint c = complaint(*parsed, spelling, pattern);
  error_ = "error parsing regexp: ";
  error_ += words(c.code);
  error_ += ": `" + c.what + "`";
}

bool Regex::is_compiled() const { return state_->re.load(std::memory_order_acquire) != nullptr; }
bool Regex::is_too_large() const { return state_->too_large.load(std::memory_order_acquire); }
size_t Regex::memory() const { return state_->taken; }

std::string Regex::error() const {
  return is_too_large() ? "error parsing regexp: expression too large: `" + state_->pattern + "`" : error_;
}

bool Regex::compile() const {
  State& s = *state_;
  const std::lock_guard lock(s.mutex);
  if (is_compiled() || is_too_large()) return !is_too_large();
  const std::string text = respell(s.pattern).text;
  for (const int64_t memory : {s.memory.usual, s.memory.most}) {
    s.owned = portcullis::compile(text, memory);
    s.taken = static_cast<size_t>(memory);
    if (s.owned->error_code() != RE2::ErrorPatternTooLarge) break;
  }
  if (s.owned->ok()) {
    s.re.store(s.owned.get(), std::memory_order_release);
  } else {
    s.owned.reset();
    s.too_large.store(true, std::memory_order_release);
  }
  return !is_too_large();
}

// Of a pattern that is good and not too large.
const RE2& Regex::compiled() const {
  const RE2* re = state_->re.load(std::memory_order_acquire);
  if (re != nullptr) return *re;
  compile();
  return *state_->re.load(std::memory_order_acquire);
}

Regex::~Regex() = default;

std::string_view Regex::pattern() const { return state_->pattern; }

int Regex::groups() const { return compiled().NumberOfCapturingGroups(); }

bool Regex::search(std::string_view text) const {
  if (state_->splits_runes) {
    std::string_view whole;
    return find(text, 0, {&whole, 1});
  }
  return compiled().Match(piece(text), 0, text.size(), RE2::UNANCHORED, nullptr, 0);
}

bool Regex::find(std::string_view text, size_t from, std::span<std::string_view> groups) const {
  const RE2& re = compiled();
  std::array<re2::StringPiece, kMostGroups> found;
  size_t wanted = std::min<size_t>({groups.size(), found.size(), static_cast<size_t>(this->groups()) + 1});
  for (;; ++from) {
    if (!re.Match(piece(text), from, text.size(), RE2::UNANCHORED, found.data(), static_cast<int>(wanted))) {
      return false;
    }
    if (!state_->splits_runes || !found[0].empty()) break;
    from = static_cast<size_t>(found[0].data() - text.data());
    if (from == text.size() || (static_cast<uint8_t>(text[from]) & 0xC0) != 0x80) break;
  }
  for (size_t i = 0; i < groups.size(); ++i) {
    groups[i] = i < wanted ? std::string_view(found[i].data(), found[i].size()) : std::string_view();
  }
  return true;
}

bool Regex::next(std::string_view text, Walk& walk, std::span<std::string_view> groups) const {
  while (walk.from <= text.size()) {
    if (!find(text, walk.from, groups)) break;
    size_t start = static_cast<size_t>(groups[0].data() - text.data());
    size_t end = start + groups[0].size();
    bool behind_another = start == end && start == walk.last_end && end == walk.from;
    if (end != walk.from) {
      walk.from = end;
    } else {  // an empty match, or none before it: continue behind one code point
      walk.from += std::max<size_t>(1, utf8::decode(text.substr(walk.from)).size);
    }
    walk.last_end = end;
    if (!behind_another) return true;
  }
  walk.from = text.size() + 1;
  return false;
}

struct RegexCache::State {
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view s) const { return std::hash<std::string_view>()(s); }
  };
  Regex::Memory memory;
  std::unordered_map<std::string, std::unique_ptr<Regex>, Hash, std::equal_to<>> patterns;
  size_t bytes = 0;
};

RegexCache::RegexCache(const Regex::Memory& memory) : state_(std::make_unique<State>(memory)) {}
RegexCache::~RegexCache() = default;

const Regex* RegexCache::find(std::string_view pattern) const {
  const auto it = state_->patterns.find(pattern);
  return it == state_->patterns.end() ? nullptr : it->second.get();
}

const Regex& RegexCache::get(std::string_view pattern) {
  if (const Regex* known = find(pattern)) return *known;
  State& s = *state_;
  auto made = std::make_unique<Regex>(pattern, s.memory);
  if (made->ok()) made->compile();
  if (s.patterns.size() >= kMost || s.bytes + made->memory() > kMostBytes) s.patterns.clear(), s.bytes = 0;
  s.bytes += made->memory();
  return *s.patterns.emplace(std::string(pattern), std::move(made)).first->second;
}

const Regex* CallContext::regex(std::string_view pattern, Value* failure) {
  if (constant_regex != nullptr && constant_regex->pattern() == pattern) {
    if (constant_regex->is_compiled()) return constant_regex;
    arena_.ask_stop();
    if (!constant_regex->compile()) throw BoundsExceeded();
    return constant_regex;
  }
  const Regex* compiled = regexes_.find(pattern);
  if (compiled == nullptr) {
    arena_.ask_stop();  // compiling takes long beside what happens between two steps
    compiled = &regexes_.get(pattern);
  }
  if (compiled->ok()) return compiled;
  if (compiled->is_too_large()) throw BoundsExceeded();
  *failure = error(compiled->error());
  return nullptr;
}

}  // namespace portcullis
