// Selectors as requests spell them ("a=b,c!=d", "k in (x,y),!z"), and their canonical form.
//
// Idea: field selectors are split at operators; label selectors have a lexer and a grammar. Both give terms,
// which are sorted and printed. A selector that does not parse gives nothing, since the authorizer only
// learns that there was an error. Source of behaviour: apimachinery pkg/fields/selector.go,
// pkg/labels/selector.go.
// Tested by admission/authorization/authorizer_test.cc and against the oracle.
#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "admission/authorization/authorizer.h"
#include "admission/scalars/names.h"

namespace portcullis {
namespace {

using Text = std::string_view;

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (size_t i = 0; i < parts.size(); i++) {
    if (i > 0) out += ',';
    out += parts[i];
  }
  return out;
}

// Splits at commas that no backslash precedes.
std::vector<Text> split_terms(Text s) {
  std::vector<Text> terms;
  size_t start = 0;
  for (size_t i = 0; i < s.size(); i++) {
    if (s[i] == '\\') {
      i++;
    } else if (s[i] == ',') {
      terms.push_back(s.substr(start, i - start));
      start = i + 1;
    }
  }
  terms.push_back(s.substr(start));
  return terms;
}

// Whether the escapes of a value are well formed: only \\, \, and \= are allowed, and ',' and '=' must be
// escaped. Such a value is printed as it was written.
bool valid_value(Text s) {
  for (size_t i = 0; i < s.size(); i++) {
    if (s[i] == ',' || s[i] == '=') return false;
    if (s[i] != '\\') continue;
    if (++i == s.size() || (s[i] != '\\' && s[i] != ',' && s[i] != '=')) return false;
  }
  return true;
}

// Appends the term "field=value" or "field!=value"; false if it is malformed. A term with an empty field and
// an empty value adds nothing.
bool field_term(Text term, std::vector<std::string>& out) {
  size_t at = term.find_first_of("!=");
  while (at != term.npos && term[at] == '!' && term.substr(at, 2) != "!=")
    at = term.find_first_of("!=", at + 1);
  if (at == term.npos) return false;
  bool negated = term[at] == '!';
  size_t size = negated || term.substr(at, 2) == "==" ? 2 : 1;
  Text field = term.substr(0, at), value = term.substr(at + size);
  if (!valid_value(value)) return false;
  if (!field.empty() || !value.empty())
    out.push_back(std::string(field) + (negated ? "!=" : "=") + std::string(value));
  return true;
}

enum class Token {
  End,
  Close,
  Comma,
  Not,
  DoubleEquals,
  Equals,
  Greater,
  Word,
  In,
  Less,
  NotEquals,
  NotIn,
  Open,
  Error
};

struct Item {
  Token token;
  Text text;
};

constexpr struct {
  Text text;
  Token token;
} kTokens[] = {{")", Token::Close},         {",", Token::Comma},  {"!", Token::Not},
               {"==", Token::DoubleEquals}, {"=", Token::Equals}, {">", Token::Greater},
               {"in", Token::In},           {"<", Token::Less},   {"!=", Token::NotEquals},
               {"notin", Token::NotIn},     {"(", Token::Open}};

Token token_of(Text s, Token otherwise) {
  for (const auto& t : kTokens) {
    if (t.text == s) return t.token;
  }
  return otherwise;
}

bool special(char c) { return Text("=!(),><").find(c) != Text::npos; }
bool blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// A requirement: key, operator, values in byte order.
struct WrittenRequirement {
  std::string key;
  Token op = Token::Word;  // Word: exists; Not: does not exist
  std::vector<std::string> values;
};

class LabelParser {
 public:
  explicit LabelParser(Text s) : s_(s) { scan(); }

  bool parse(std::vector<WrittenRequirement>& out) {
    while (true) {
      Token t = peek();
      if (t == Token::End) return true;
      if (t != Token::Word && t != Token::Not) return false;
      WrittenRequirement r;
      if (!requirement(r)) return false;
      out.push_back(std::move(r));
      t = next().token;
      if (t == Token::End) return true;
      if (t != Token::Comma || (peek() != Token::Word && peek() != Token::Not)) return false;
    }
  }

 private:
  // The longest sequence of operator characters that is a token.
  Item symbol(size_t& at) {
    Token token = Token::Error;
    size_t start = at;
    while (at < s_.size() && special(s_[at])) {
      Token longer = token_of(s_.substr(start, at + 1 - start), Token::Error);
      if (longer == Token::Error && token != Token::Error) break;
      token = longer;
      at++;
    }
    return {token, s_.substr(start, at - start)};
  }

  void scan() {
    size_t at = 0;
    while (true) {
      while (at < s_.size() && blank(s_[at])) at++;
      if (at >= s_.size() || s_[at] == '\0') break;  // the lexer of upstream stops at a NUL
      if (special(s_[at])) {
        items_.push_back(symbol(at));
        continue;
      }
      size_t start = at;
      while (at < s_.size() && s_[at] != '\0' && !special(s_[at]) && !blank(s_[at])) at++;
      Text word = s_.substr(start, at - start);
      items_.push_back({token_of(word, Token::Word), word});
      if (at < s_.size() && s_[at] == '\0') at++;  // and drops a NUL that ends a word
    }
    items_.push_back({Token::End, {}});
  }

  // `in` and `notin` are ordinary words, except where an operator is expected.
  static Token as_word(Token t) { return t == Token::In || t == Token::NotIn ? Token::Word : t; }
  Token peek() const { return as_word(items_[at_].token); }
  Item next() {
    Item item = items_[at_];
    if (at_ + 1 < items_.size()) at_++;
    item.token = as_word(item.token);
    return item;
  }

  bool requirement(WrittenRequirement& r) {
    Item item = next();
    bool negated = item.token == Token::Not;
    if (negated) item = next();
    if (item.token != Token::Word || !names::label_key(item.text).empty()) return false;
    r.key = item.text;
    bool alone = peek() == Token::End || peek() == Token::Comma;
    if (negated || alone) {
      r.op = negated ? Token::Not : Token::Word;
      return true;
    }
    r.op = items_[at_].token;
    next();
    switch (r.op) {
      case Token::In:
      case Token::NotIn: return value_set(r.values) && valid(r);
      case Token::Equals:
      case Token::DoubleEquals:
      case Token::NotEquals:
      case Token::Greater:
      case Token::Less: return exact_value(r.values) && valid(r);
      default: return false;
    }
  }

  bool exact_value(std::vector<std::string>& values) {
    if (peek() == Token::End || peek() == Token::Comma) {
      values.emplace_back();
      return true;
    }
    Item item = next();
    values.emplace_back(item.text);
    return item.token == Token::Word;
  }

  bool value_set(std::vector<std::string>& values) {
    if (next().token != Token::Open) return false;
    if (peek() == Token::Close) {
      next();
      values.emplace_back();
      return true;
    }
    if (peek() != Token::Word && peek() != Token::Comma) return false;
    if (!value_list(values)) return false;
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return next().token == Token::Close;
  }

  bool value_list(std::vector<std::string>& values) {
    while (true) {
      Item item = next();
      if (item.token == Token::Word) {
        values.emplace_back(item.text);
        if (peek() == Token::Close) return true;
        if (peek() != Token::Comma) return false;
      } else if (item.token == Token::Comma) {
        if (values.empty() || peek() == Token::Comma) values.emplace_back();
        if (peek() == Token::Close) {
          values.emplace_back();
          return true;
        }
      } else {
        return false;
      }
    }
  }

  static bool is_integer(Text s) {
    if (s.starts_with('+')) s.remove_prefix(1);
    int64_t n = 0;
    auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), n);
    return error == std::errc() && end == s.data() + s.size();
  }

  static bool valid(const WrittenRequirement& r) {
    for (const std::string& v : r.values) {
      if (!names::label_value(v).empty()) return false;
      if ((r.op == Token::Greater || r.op == Token::Less) && !is_integer(v)) return false;
    }
    return true;
  }

  Text s_;
  std::vector<Item> items_;
  size_t at_ = 0;
};

std::string print(const WrittenRequirement& r) {
  switch (r.op) {
    case Token::Not: return "!" + r.key;
    case Token::Word: return r.key;
    case Token::In: return r.key + " in (" + joined(r.values) + ")";
    case Token::NotIn: return r.key + " notin (" + joined(r.values) + ")";
    case Token::Equals: return r.key + "=" + joined(r.values);
    case Token::DoubleEquals: return r.key + "==" + joined(r.values);
    case Token::NotEquals: return r.key + "!=" + joined(r.values);
    case Token::Greater: return r.key + ">" + joined(r.values);
    default: return r.key + "<" + joined(r.values);
  }
}

}  // namespace

std::optional<std::string_view> canonical_field_selector(Arena& arena, std::string_view text) {
  std::vector<std::string> terms;
  for (Text term : split_terms(text)) {
    if (!term.empty() && !field_term(term, terms)) return std::nullopt;
  }
  std::sort(terms.begin(), terms.end());
  return arena.copy(joined(terms));
}

std::optional<std::string_view> canonical_label_selector(Arena& arena, std::string_view text) {
  std::vector<WrittenRequirement> requirements;
  if (!LabelParser(text).parse(requirements)) return std::nullopt;
  std::stable_sort(requirements.begin(), requirements.end(),
                   [](const WrittenRequirement& a, const WrittenRequirement& b) { return a.key < b.key; });
  std::vector<std::string> terms;
  for (const WrittenRequirement& r : requirements) terms.push_back(print(r));
  return arena.copy(joined(terms));
}

}  // namespace portcullis
