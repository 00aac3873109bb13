#include "admission/objects/document.h"

#include "grammar/ascii.h"
#include "interpreter/values/json.h"
#include "interpreter/values/json_scanner.h"

namespace portcullis {
namespace {

using DKind = Document::Kind;

class Reader : JsonScanner {
 public:
  explicit Reader(std::string_view text) : JsonScanner(text) {}

  Result<Document> read() {
    Document d;
    skip_space();
    if (!value(d, 0)) return failure();
    skip_space();
    if (at_ < text_.size()) {
      bad("after top-level value");
      return failure();
    }
    return d;
  }

 private:
  bool value(Document& d, int depth) {
    const size_t start = at_;
    if (!content(d, depth)) return false;
    d.raw = since(start);
    if (d.is(DKind::Number)) d.text = d.raw;
    return true;
  }
  bool content(Document& d, int depth) {
    switch (const int c = peek()) {
      case '{':
      case '[':
        d.kind = c == '{' ? DKind::Object : DKind::List;
        if (depth >= kMaxJsonDepth) return bad("exceeded max depth");
        return c == '{' ? object(d, depth) : list(d, depth);
      case '"': d.kind = DKind::String; return string(d.text);
      case 't':
      case 'f':
        d.kind = DKind::Bool;
        d.boolean = c == 't';
        return word(d.boolean ? "true" : "false");
      case 'n': return word("null");
      default:
        d.kind = DKind::Number;
        return c == '-' || is_digit(c) ? number() : bad("looking for beginning of value");
    }
  }

  bool list(Document& d, int depth) {
    at_++;
    skip_space();
    if (peek() == ']') return ++at_, true;
    while (true) {
      skip_space();
      if (!value(d.items.emplace_back(), depth + 1)) return false;
      skip_space();
      if (peek() == ']') return ++at_, true;
      if (peek() != ',') return bad("after array element");
      at_++;
    }
  }
  bool object(Document& d, int depth) {
    at_++;
    skip_space();
    if (peek() == '}') return ++at_, true;
    while (true) {
      skip_space();
      if (peek() != '"') return bad("looking for beginning of object key string");
      auto& [key, member] = d.members.emplace_back();
      if (!string(key) || !colon()) return false;
      skip_space();
      if (!value(member, depth + 1)) return false;
      skip_space();
      if (peek() == '}') return ++at_, true;
      if (peek() != ',') return bad("after object key:value pair");
      at_++;
    }
  }
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
