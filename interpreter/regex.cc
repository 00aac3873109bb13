#include "interpreter/regex.h"

#include <re2/re2.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "interpreter/call.h"

namespace portcullis {
namespace {

// Memory for the compiled program and its DFA. RE2's default of 8 MB refuses repetitions that Go takes.
constexpr int64_t kMaxProgramBytes = 64 << 20;

std::string_view go_error(re2::RE2::ErrorCode code) {
  switch (code) {
    case re2::RE2::ErrorBadEscape: return "invalid escape sequence";
    case re2::RE2::ErrorBadCharClass: return "invalid character class";
    case re2::RE2::ErrorBadCharRange: return "invalid character class range";
    case re2::RE2::ErrorMissingBracket: return "missing closing ]";
    case re2::RE2::ErrorMissingParen: return "missing closing )";
    case re2::RE2::ErrorUnexpectedParen: return "unexpected )";
    case re2::RE2::ErrorTrailingBackslash: return "trailing backslash at end of expression";
    case re2::RE2::ErrorRepeatArgument: return "missing argument to repetition operator";
    case re2::RE2::ErrorRepeatSize: return "invalid repeat count";
    case re2::RE2::ErrorRepeatOp: return "invalid nested repetition operator";
    case re2::RE2::ErrorBadPerlOp: return "invalid or unsupported Perl syntax";
    case re2::RE2::ErrorBadUTF8: return "invalid UTF-8";
    case re2::RE2::ErrorBadNamedCapture: return "invalid named capture";
    case re2::RE2::ErrorPatternTooLarge: return "expression too large";
    default: return "regexp/syntax: internal error";
  }
}

// `\C` (any byte) is RE2's own; Go refuses it.
bool has_any_byte(std::string_view pattern) {
  for (size_t i = 0; i + 1 < pattern.size(); ++i) {
    if (pattern[i] != '\\') continue;
    if (pattern[i + 1] == 'C') return true;
    if (pattern[i + 1] == 'Q') {  // quoted up to \E
      size_t end = pattern.find("\\E", i + 2);
      if (end == std::string_view::npos) return false;
      i = end;
    }
    ++i;
  }
  return false;
}

// Go 1.22 takes (?<name>...) as (?P<name>...), older RE2 does not.
std::string with_p_groups(std::string_view pattern) {
  std::string out;
  out.reserve(pattern.size());
  bool in_class = false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    char c = pattern[i];
    out += c;
    if (c == '\\' && i + 1 < pattern.size()) {
      out += pattern[++i];
    } else if (c == '[') {
      in_class = true;
    } else if (c == ']') {
      in_class = false;
    } else if (!in_class && c == '(' && pattern.substr(i, 3) == "(?<") {
      out += "?P<";
      i += 2;
    }
  }
  return out;
}

re2::RE2::Options options() {
  re2::RE2::Options o;
  o.set_log_errors(false);
  o.set_max_mem(kMaxProgramBytes);
  return o;
}

}  // namespace

struct Regex::State {
  explicit State(std::string_view pattern) : text(pattern), compiled(with_p_groups(pattern), options()) {}
  std::string text;
  re2::RE2 compiled;
};

Regex::Regex(std::string_view pattern) : state_(std::make_unique<State>(pattern)) {
  const re2::RE2& re = state_->compiled;
  if (has_any_byte(pattern)) {
    error_ = "error parsing regexp: invalid escape sequence: `\\C`";
  } else if (!re.ok()) {
    error_ = "error parsing regexp: " + std::string(go_error(re.error_code()));
    bool has_argument = re.error_code() != re2::RE2::ErrorPatternTooLarge;
    if (has_argument) error_ += ": `" + re.error_arg() + "`";
  }
}

Regex::~Regex() = default;

std::string_view Regex::pattern() const { return state_->text; }

bool Regex::search(std::string_view text) const {
  return state_->compiled.Match(re2::StringPiece(text.data(), text.size()), 0, text.size(), re2::RE2::UNANCHORED,
                                nullptr, 0);
}

bool Regex::find(std::string_view text, size_t from, std::span<std::string_view> groups) const {
  std::vector<re2::StringPiece> found(groups.size());
  if (!state_->compiled.Match(re2::StringPiece(text.data(), text.size()), from, text.size(), re2::RE2::UNANCHORED,
                              found.data(), static_cast<int>(found.size()))) {
    return false;
  }
  for (size_t i = 0; i < groups.size(); ++i) groups[i] = std::string_view(found[i].data(), found[i].size());
  return true;
}

int Regex::groups() const { return state_->compiled.NumberOfCapturingGroups(); }

struct RegexCache::State {
  std::unordered_map<std::string_view, std::unique_ptr<Regex>> patterns;  // keys point into the Regex
};

RegexCache::RegexCache() : state_(std::make_unique<State>()) {}
RegexCache::~RegexCache() = default;

const Regex& RegexCache::get(std::string_view pattern) {
  auto found = state_->patterns.find(pattern);
  if (found != state_->patterns.end()) return *found->second;
  if (state_->patterns.size() >= kCached) state_->patterns.clear();
  auto made = std::make_unique<Regex>(pattern);
  std::string_view key = made->pattern();
  return *(state_->patterns[key] = std::move(made));
}

const Regex* CallContext::regex(std::string_view pattern, Value* failure) {
  if (constant_regex != nullptr && constant_regex->pattern() == pattern) return constant_regex;
  if (regexes_ == nullptr) {
    own_regexes_ = std::make_shared<RegexCache>();
    regexes_ = own_regexes_.get();
  }
  const Regex& compiled = regexes_->get(pattern);
  if (compiled.ok()) return &compiled;
  *failure = error(compiled.error());
  return nullptr;
}

}  // namespace portcullis
