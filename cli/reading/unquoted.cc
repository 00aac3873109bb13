// See unquoted.h.
#include "cli/reading/unquoted.h"

#include <fmt/format.h>

#include "manifests/place.h"

namespace portcullis {

std::string unquoted_hint(const InputObject& o, std::string_view path, std::string_view error) {
  // What bools and numbers of YAML are written with.
  constexpr std::string_view kCharacters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-._:";
  constexpr size_t kLongest = 40;  // nobody means a longer one
  const bool is_bool = error.find("cannot unmarshal bool into") != error.npos,
             is_number = error.find("cannot unmarshal number into") != error.npos;
  if (!(is_bool || is_number) || !error.ends_with(" of type string")) return {};
  std::string_view scalar = o.file->text;
  scalar.remove_prefix(offset_in(scalar, o.locate(path)));
  scalar = scalar.substr(0, scalar.find_first_not_of(kCharacters));
  if (scalar.empty() || scalar.size() > kLongest) return {};
  return fmt::format("without quotes {0} is {1}; write \"{0}\"", scalar, is_bool ? "a bool" : "a number");
}

}  // namespace portcullis
