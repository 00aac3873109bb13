// See unquoted.h.
#include "cli/reading/unquoted.h"

#include <fmt/format.h>

#include "manifests/place.h"
#include "manifests/scalar.h"

namespace portcullis {

std::string unquoted_hint(const InputObject& o, std::string_view path, std::string_view error) {
  constexpr size_t kLongest = 40;  // nobody means a longer one
  const bool is_bool = error.find("cannot unmarshal bool into") != error.npos,
             is_number = error.find("cannot unmarshal number into") != error.npos;
  if (!(is_bool || is_number) || !error.ends_with(" of type string")) return {};
  std::string_view scalar = o.file->text;
  scalar.remove_prefix(offset_in(scalar, o.locate(path)));
  scalar = scalar.substr(0, scalar.find_first_of(" \t\r\n,]}"));
  if (scalar.size() > kLongest) return {};
  Arena arena;
  const Result<Value> value = resolve_scalar(scalar, {}, true, arena);
  const bool fits =
      value.ok() && (is_bool ? value->is(Kind::Bool) : value->is(Kind::Int) || value->is(Kind::Double));
  if (!fits) return {};
  return fmt::format("without quotes {0} is {1}; write \"{0}\"", scalar, is_bool ? "a bool" : "a number");
}

}  // namespace portcullis
