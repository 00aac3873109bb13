// See visible.h.
#include "cli/messages/visible.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/messages/messages.h"
#include "grammar/utf8.h"

namespace portcullis {
namespace {

// Whether the byte is invalid: it decodes as a replacement character of one byte.
bool is_invalid(const utf8::Rune& r) { return r.value == utf8::kReplacement && r.size == 1; }

void append_escape(std::string& out, char32_t c) {
  switch (c) {
    case '\n': out += "\\n"; break;
    case '\r': out += "\\r"; break;
    case '\t': out += "\\t"; break;
    default:
      if (c < 0x80) {
        fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<uint32_t>(c));
      } else {
        fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<uint32_t>(c));
      }
  }
}

// The escape sequence of a colour at the start of `text`; empty if there is none.
std::string_view colour_at(std::string_view text) {
  const Paint& p = paint(true);
  for (std::string_view sequence : {p.bold, p.red, p.yellow, p.green, p.dim, p.reset}) {
    if (text.starts_with(sequence)) return sequence;
  }
  return {};
}

// What is not escaped.
struct Kept {
  bool lines = false, colours = false;  // line breaks; the escape sequences of our colours
};

void append_visible(std::string& out, std::string_view text, Kept kept = {}) {
  while (!text.empty()) {
    // Copies ordinary ASCII, the most frequent case.
    auto odd = std::ranges::find_if(text, [](unsigned char c) { return c < 0x20 || c >= 0x7f; });
    auto plain = static_cast<size_t>(odd - text.begin());
    out.append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) return;
    utf8::Rune r = utf8::decode(text);
    size_t size = r.size;
    std::string_view colour = kept.colours && r.value == 0x1b ? colour_at(text) : std::string_view();
    if (!colour.empty()) {
      out += colour;
      size = colour.size();
    } else if (is_invalid(r)) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}",
                     static_cast<unsigned>(static_cast<unsigned char>(text[0])));
    } else if (is_hidden(r.value) && !(kept.lines && r.value == '\n')) {
      append_escape(out, r.value);
    } else {
      out += text.substr(0, size);
    }
    text.remove_prefix(size);
  }
}

}  // namespace

bool is_hidden(char32_t c) {
  bool control = c < 0x20 || (c >= 0x7f && c < 0xa0);
  bool direction = (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
  return control || direction || c == 0x2028 || c == 0x2029;
}

std::string visible(std::string_view text) {
  std::string out;
  append_visible(out, text);
  return out;
}

std::string visible_block(std::string_view text, std::string_view indent) {
  std::string out;
  for (;;) {
    size_t end = std::min(text.find('\n'), text.size());
    out += indent;
    append_visible(out, text.substr(0, end));
    out += '\n';
    if (end == text.size()) return out;
    text.remove_prefix(end + 1);
  }
}

std::string visible_lines(std::string_view text, bool colours) {
  std::string out;
  out.reserve(text.size());
  append_visible(out, text, {.lines = true, .colours = colours});
  return out;
}

std::string visible_columns(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    utf8::Rune r = utf8::decode(text);
    if (r.value == '\t') {
      out += ' ';
    } else if (is_hidden(r.value)) {
      out += '?';
    } else {
      utf8::append(out, r.value);
    }
    text.remove_prefix(r.size);
  }
  return out;
}

}  // namespace portcullis
