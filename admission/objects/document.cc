#include "admission/objects/document.h"

#include <fmt/format.h>

#include "grammar/ascii.h"
#include "grammar/utf8.h"

namespace portcullis {
namespace {

using DKind = Document::Kind;

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Result<Document> read() {
    Document d;
    space();
    if (!value(d, 0)) return error();
    space();
    if (at_ < text_.size()) {
      fail("invalid character after top-level value");
      return error();
    }
    return d;
  }

 private:
  Error error() const {
    std::string text = failure_.empty() ? "unexpected end of JSON input" : failure_;
    return Error{fmt::format("{} (at byte {})", text, at_)};
  }
  bool fail(std::string_view what) {
    if (failure_.empty()) failure_ = at_ < text_.size() ? what : "unexpected end of JSON input";
    return false;
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void space() {
    while (at_ < text_.size() && (peek() == ' ' || peek() == '\n' || peek() == '\t' || peek() == '\r')) at_++;
  }

  bool value(Document& d, int depth) {
    if (depth > kMaxDocumentDepth) return fail("exceeded max depth");
    size_t start = at_;
    bool ok = false;
    switch (peek()) {
      case '{': ok = object(d, depth); break;
      case '[': ok = list(d, depth); break;
      case '"':
        d.kind = DKind::String;
        ok = string(d.text);
        break;
      case 't':
        d.kind = DKind::Bool;
        d.boolean = true;
        ok = word("true");
        break;
      case 'f':
        d.kind = DKind::Bool;
        ok = word("false");
        break;
      case 'n': ok = word("null"); break;
      default:
        d.kind = DKind::Number;
        ok = number(d.text);
        break;
    }
    d.raw = text_.substr(start, at_ - start);
    return ok;
  }

  bool word(std::string_view w) {
    if (text_.substr(at_, w.size()) != w) return fail("invalid literal");
    at_ += w.size();
    return true;
  }

  bool digits() {
    if (peek() < '0' || peek() > '9') return fail("invalid character in numeric literal");
    while (peek() >= '0' && peek() <= '9') at_++;
    return true;
  }
  bool number(std::string& out) {
    size_t start = at_;
    if (peek() == '-') at_++;
    if (peek() == '0') {
      at_++;
    } else if (!digits()) {
      return fail("invalid character looking for beginning of value");
    }
    if (peek() == '.') {
      at_++;
      if (!digits()) return false;
    }
    if (peek() == 'e' || peek() == 'E') {
      at_++;
      if (peek() == '+' || peek() == '-') at_++;
      if (!digits()) return false;
    }
    out = text_.substr(start, at_ - start);
    return true;
  }

  // The four hexadecimal digits after `\u`; -1 if they are missing.
  int hex() const {
    if (at_ + 4 > text_.size()) return -1;
    int n = 0;
    for (size_t i = at_; i < at_ + 4; i++) {
      const int digit = hex_value(text_[i]);
      if (digit < 0) return -1;
      n = n * 16 + digit;
    }
    return n;
  }
  // Reads what follows `\u`. An unpaired surrogate becomes U+FFFD, as in Go.
  bool escaped_unit(std::string& out) {
    int unit = hex();
    if (unit < 0) return fail("invalid character in \\u hexadecimal character escape");
    at_ += 4;
    if (unit >= 0xd800 && unit < 0xdc00 && text_.substr(at_, 2) == "\\u") {
      size_t back = at_;
      at_ += 2;
      int low = hex();
      if (low >= 0xdc00 && low < 0xe000) {
        at_ += 4;
        utf8::append(out, 0x10000u + (static_cast<uint32_t>(unit - 0xd800) << 10) +
                              static_cast<uint32_t>(low - 0xdc00));
        return true;
      }
      at_ = back;
    }
    utf8::append(out, unit >= 0xd800 && unit < 0xe000 ? 0xfffd : static_cast<uint32_t>(unit));
    return true;
  }
  bool escape(std::string& out) {
    char c = peek();
    at_++;
    switch (c) {
      case '"':
      case '\\':
      case '/': out += c; return true;
      case 'b': out += '\b'; return true;
      case 'f': out += '\f'; return true;
      case 'n': out += '\n'; return true;
      case 'r': out += '\r'; return true;
      case 't': out += '\t'; return true;
      case 'u': return escaped_unit(out);
      default: at_--; return fail("invalid character in string escape code");
    }
  }
  bool string(std::string& out) {
    at_++;
    while (at_ < text_.size()) {
      unsigned char c = static_cast<unsigned char>(text_[at_]);
      if (c == '"') {
        at_++;
        return true;
      }
      if (c < 0x20) return fail("invalid character in string literal");
      if (c == '\\') {
        at_++;
        if (!escape(out)) return false;
        continue;
      }
      utf8::Rune rune = utf8::decode(text_.substr(at_));
      utf8::append(out, rune.value);
      at_ += rune.size;
    }
    return fail({});
  }

  bool list(Document& d, int depth) {
    d.kind = DKind::List;
    at_++;
    space();
    if (peek() == ']') return ++at_, true;
    while (true) {
      space();
      if (!value(d.items.emplace_back(), depth + 1)) return false;
      space();
      if (peek() == ']') return ++at_, true;
      if (peek() != ',') return fail("invalid character after array element");
      at_++;
    }
  }
  bool object(Document& d, int depth) {
    d.kind = DKind::Object;
    at_++;
    space();
    if (peek() == '}') return ++at_, true;
    while (true) {
      space();
      if (peek() != '"') return fail("invalid character looking for beginning of object key string");
      auto& member = d.members.emplace_back();
      if (!string(member.first)) return false;
      space();
      if (peek() != ':') return fail("invalid character after object key");
      at_++;
      space();
      if (!value(member.second, depth + 1)) return false;
      space();
      if (peek() == '}') return ++at_, true;
      if (peek() != ',') return fail("invalid character after object key:value pair");
      at_++;
    }
  }

  std::string_view text_;
  size_t at_ = 0;
  std::string failure_;
};

}  // namespace

Document::Document() = default;
Document::Document(const Document&) = default;
Document::Document(Document&&) noexcept = default;
Document& Document::operator=(const Document&) = default;
Document& Document::operator=(Document&&) noexcept = default;
Document::~Document() = default;

const Document* Document::find(std::string_view name) const {
  for (size_t i = members.size(); i-- > 0;) {
    if (members[i].first == name) return &members[i].second;
  }
  return nullptr;
}

Result<Document> read_document(std::string_view text) { return Reader(text).read(); }

std::string_view json_word(const Document& d) {
  switch (d.kind) {
    case Document::Kind::Bool: return "bool";
    case Document::Kind::String: return "string";
    case Document::Kind::List: return "array";
    case Document::Kind::Object: return "object";
    default: return "number";
  }
}

}  // namespace portcullis
