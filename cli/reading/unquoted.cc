// See unquoted.h.
#include "cli/reading/unquoted.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "manifests/place.h"

namespace portcullis {

namespace {

bool is_bool_word(std::string_view text) {
  constexpr std::array<std::string_view, 8> kWords = {"true", "false", "yes", "no", "on", "off", "y", "n"};
  std::string small(text);
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::ranges::find(kWords, small) != kWords.end();
}
bool is_number_word(std::string_view text) {
  const size_t at = text.find_first_not_of("+-.");
  return at != text.npos && text[at] >= '0' && text[at] <= '9';
}

}  // namespace

std::string unquoted_hint(const InputObject& o, std::string_view path, std::string_view error) {
  constexpr size_t kLongest = 40;  // nobody means a longer one
  const bool is_bool = error.find("cannot unmarshal bool into") != error.npos,
             is_number = error.find("cannot unmarshal number into") != error.npos;
  if (!(is_bool || is_number) || !error.ends_with(" of type string")) return {};
  std::string_view scalar = o.file->text;
  scalar.remove_prefix(offset_in(scalar, o.locate(path)));
  scalar = scalar.substr(0, scalar.find_first_of(" \t\r\n,]}"));
  if (scalar.size() > kLongest || !(is_bool ? is_bool_word(scalar) : is_number_word(scalar))) return {};
  return fmt::format("without quotes {0} is {1}; write \"{0}\"", scalar, is_bool ? "a bool" : "a number");
}

}  // namespace portcullis
