#include "cli/formats/xml.h"

#include "cli/messages/visible.h"

namespace portcullis::formats {
namespace {

// U+FFFE and U+FFFF, which no XML may contain; other texts are valid after `visible_lines`.
bool is_no_character(std::string_view text) {
  return text.starts_with("\xef\xbf\xbe") || text.starts_with("\xef\xbf\xbf");
}

std::string escaped_for_xml(std::string_view text, std::string_view line_break) {
  std::string shown = visible_lines(text, false), out;
  out.reserve(shown.size());
  for (size_t i = 0; i < shown.size(); i++) {
    switch (shown[i]) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      case '\n': out += line_break; break;
      case '\xef':
        if (is_no_character(std::string_view(shown).substr(i))) {
          out += shown[i + 2] == '\xbe' ? "\\ufffe" : "\\uffff";
          i += 2;
          break;
        }
        [[fallthrough]];
      default: out += shown[i];
    }
  }
  return out;
}

}  // namespace

std::string xml(std::string_view text) { return escaped_for_xml(text, "\n"); }
std::string xml_attribute(std::string_view text) { return escaped_for_xml(text, "&#10;"); }

}  // namespace portcullis::formats
