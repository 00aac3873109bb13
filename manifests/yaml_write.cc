// Writes Values as block-style YAML, for people and kubectl. A text is plain if every YAML reader takes it as
// a text, else in JSON quotes, which YAML accepts. Tested by manifests/yaml_test.cc (written values read
// back).
#include <string>

#include "grammar/ascii.h"
#include "manifests/scalar.h"
#include "manifests/yaml.h"

namespace portcullis {
namespace {

bool is_plain_character(char c) {
  return is_alphanumeric(c) || std::string_view("_./-$()@+,=%*;<^~ '").find(c) != std::string_view::npos;
}

// Whether `text` may be unquoted: it begins and ends harmlessly and resolves to a text.
bool may_be_plain(std::string_view text, Arena& arena) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ') return false;
  if (text.starts_with("...")) return false;  // at the start of a line it ends the document
  char first = text.front();
  bool letter = is_letter(first) || first == '/' || first == '_' || is_digit(first) || first == '.' ||
                first == '(' || first == '$';
  if (!letter) return false;
  for (char c : text) {
    if (!is_plain_character(c)) return false;
  }
  auto resolved = resolve_scalar(text, "", true, arena);
  // A timestamp resolves to a text here, but not in other readers.
  bool dated = text.size() > 4 && is_digit(first) && text[4] == '-';
  return resolved.ok() && resolved->is(Kind::String) && !dated;
}

// Quotes a text as JSON, and escapes characters that JSON allows and YAML does not (DEL, C1 controls, U+FEFF,
// U+FFFE, U+FFFF) and those that change the direction of writing, since people read the output.
std::string double_quoted(std::string_view text) {
  std::string out;
  std::string json = quote_json(text);
  for (size_t i = 0; i < json.size(); ++i) {
    auto at = [&](size_t k) { return i + k < json.size() ? static_cast<unsigned char>(json[i + k]) : 0; };
    if (at(0) == 0x7f) {
      out += "\\u007f";
    } else if (at(0) == 0xc2 && at(1) >= 0x80 && at(1) < 0xa0) {
      out.append("\\u00") += kHexDigits[at(1) >> 4];
      out += kHexDigits[at(1) & 15];
      i += 1;
    } else if (at(0) == 0xe2 && ((at(1) == 0x80 && at(2) >= 0xaa && at(2) <= 0xae) ||
                                 (at(1) == 0x81 && at(2) >= 0xa6 && at(2) <= 0xa9))) {
      out += at(1) == 0x80 ? "\\u202" : "\\u206";
      out += kHexDigits[at(2) & 15];
      i += 2;
    } else if (at(0) == 0xef && at(1) == 0xbb && at(2) == 0xbf) {
      out += "\\ufeff";
      i += 2;
    } else if (at(0) == 0xef && at(1) == 0xbf && at(2) >= 0xbe) {
      out += at(2) == 0xbe ? "\\ufffe" : "\\uffff";
      i += 2;
    } else {
      out += json[i];
    }
  }
  return out;
}

class YamlWriter {
 public:
  explicit YamlWriter(std::string& out) : out_(out) {}

  void node(const Value& v, size_t indent, bool in_list) {
    if (v.is(Kind::Map) && v.size() > 0) return map(v, indent, in_list);
    if (v.is(Kind::List) && v.size() > 0) return list(v, indent, in_list);
    scalar(v, indent);
    out_ += '\n';
  }

 private:
  void map(const Value& v, size_t indent, bool in_list) {
    bool first = in_list;  // the first key follows the dash
    for (const MapEntry& e : v.as_map()) {
      if (!first) out_.append(indent, ' ');
      first = false;
      key(e.key.is(Kind::String) ? e.key.as_text() : std::string_view(to_json(e.key)), indent);
      bool nested = (e.value.is(Kind::Map) || e.value.is(Kind::List)) && e.value.size() > 0;
      out_ += nested ? '\n' : ' ';
      node(e.value, e.value.is(Kind::Map) || !nested ? indent + 2 : indent, false);
    }
  }

  // A key of more than 1,024 characters needs an explicit `?`.
  void key(std::string_view name, size_t indent) {
    constexpr size_t kMaxSimpleKey = 1000;
    size_t start = out_.size();
    text(name);
    if (out_.size() - start > kMaxSimpleKey) {
      out_.insert(start, "? ");
      out_.append("\n").append(indent, ' ');
    }
    out_ += ':';
  }

  void list(const Value& v, size_t indent, bool in_list) {
    bool first = in_list;
    for (const Value& item : v.as_list()) {
      if (!first) out_.append(indent, ' ');
      first = false;
      out_ += "- ";
      node(item, indent + 2, true);
    }
  }

  void scalar(const Value& v, size_t indent) {
    if (!v.is(Kind::String)) {
      JsonWriter(out_).value(v);
    } else if (indent > 0 && is_block(v.as_text())) {  // a block at the root could begin with a dash
      block(v.as_text(), indent);
    } else {
      text(v.as_text());
    }
  }

  // Whether lines of ordinary text are better written as a block.
  static bool is_block(std::string_view s) {
    if (s.find('\n') == s.npos || s.front() == ' ' || s.front() == '\n' || s.back() != '\n') return false;
    if (s.size() > 1 && s[s.size() - 2] == '\n') return false;
    for (char c : s) {
      if (static_cast<unsigned char>(c) < ' ' && c != '\n') return false;
    }
    return s.find(" \n") == s.npos && double_quoted(s).find("\\u") == std::string::npos;
  }

  void block(std::string_view s, size_t indent) {
    out_ += '|';
    while (!s.empty()) {
      size_t end = s.find('\n');
      out_ += '\n';
      if (end > 0) out_.append(indent, ' ').append(s.substr(0, end));
      s.remove_prefix(end + 1);
    }
  }

  void text(std::string_view s) {
    scratch_.reset();
    if (may_be_plain(s, scratch_)) {
      out_ += s;
    } else {
      out_ += double_quoted(s);
    }
  }

  std::string& out_;
  Arena scratch_;
};

}  // namespace

std::string to_yaml(const Value& v) {
  std::string out;
  YamlWriter(out).node(v, 0, false);
  return out;
}

std::string json_as_yaml(std::string_view json) {
  Arena arena;
  Result<Value> value = read_json(json, arena);
  return value.ok() ? to_yaml(*value) : std::string(json);
}

}  // namespace portcullis
