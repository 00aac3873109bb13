#include "chain/media_type.h"

#include <algorithm>
#include <map>
#include <optional>

#include "grammar/ascii.h"

namespace portcullis::chain {
namespace {

constexpr std::string_view kMediaSpace = " \t\n\v\f\r";
constexpr std::string_view kSpecials = "()<>@,;:\\\"/[]?=";  // RFC 2045

void skip_space(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(kMediaSpace), rest.size()));
}

bool take_char(std::string_view& rest, char c) {
  if (!rest.starts_with(c)) return false;
  rest.remove_prefix(1);
  return true;
}

std::string_view take_token(std::string_view& rest) {
  size_t end = 0;
  while (end < rest.size() && rest[end] > ' ' && rest[end] < '\x7f' &&
         kSpecials.find(rest[end]) == kSpecials.npos)
    ++end;
  std::string_view token = rest.substr(0, end);
  rest.remove_prefix(end);
  return token;
}

// A token or a quoted string, without its quotes; nothing if there is none.
std::optional<std::string> take_value(std::string_view& rest) {
  if (!rest.starts_with('"')) {
    std::string_view token = take_token(rest);
    return token.empty() ? std::nullopt : std::optional<std::string>(token);
  }
  std::string out;
  for (size_t i = 1; i < rest.size(); ++i) {
    if (rest[i] == '"') {
      rest.remove_prefix(i + 1);
      return out;
    }
    if (rest[i] == '\r' || rest[i] == '\n') break;
    // A backslash before any other character stands for itself, as in Windows' paths.
    if (rest[i] == '\\' && i + 1 < rest.size() && kSpecials.find(rest[i + 1]) != kSpecials.npos) ++i;
    out += rest[i];
  }
  return {};
}

std::string_view type_error(std::string_view rest) {
  if (take_token(rest).empty()) return "mime: no media type";
  if (rest.empty()) return {};
  if (!take_char(rest, '/')) return "mime: expected slash after first token";
  if (take_token(rest).empty()) return "mime: expected token after slash";
  return rest.empty() ? "" : "mime: unexpected content after media subtype";
}

}  // namespace

MediaType read_media_type(std::string_view value) {
  std::string_view rest = value.substr(std::min(value.find(';'), value.size()));
  std::string_view base = value.substr(0, value.size() - rest.size());
  skip_space(base);
  base = base.substr(0, base.find_last_not_of(kMediaSpace) + 1);
  MediaType out{.type = lower_case(base), .charset = {}, .error = std::string(type_error(base))};
  std::map<std::string, std::string, std::less<>> parameters;
  while (out.error.empty()) {
    skip_space(rest);
    if (rest.empty() || (rest[0] == ';' && rest.find_first_not_of(kMediaSpace, 1) == rest.npos)) break;
    std::string_view at = rest;
    bool begun = take_char(at, ';');
    skip_space(at);
    std::string name = lower_case(take_token(at));
    skip_space(at);
    bool equals = take_char(at, '=');
    skip_space(at);
    std::optional<std::string> text = take_value(at);
    if (!begun || name.empty() || !equals || !text) {
      out.error = "mime: invalid media parameter";
    } else if (auto [seen, added] = parameters.emplace(name, *text); !added && seen->second != *text) {
      out.error = "mime: duplicate parameter name";
    }
    rest = at;
  }
  out.charset = lower_case(parameters["charset"]);
  return out;
}

}  // namespace portcullis::chain
