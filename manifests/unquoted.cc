// See unquoted.h.
#include "manifests/unquoted.h"

#include <fmt/format.h>

#include "manifests/place.h"
#include "manifests/scalar.h"

namespace portcullis {

std::string unquoted_hint(const PointedText& file, Position position, std::string_view wanted) {
  constexpr size_t kLongest = 40;  // nobody means a longer one
  std::string_view scalar = std::string_view(file).substr(offset_in(file, position));
  scalar = scalar.substr(0, scalar.find_first_of(" \t\r\n,]}"));
  if (scalar.size() > kLongest) return {};
  Arena arena;
  const Result<Value> value = resolve_scalar(scalar, {}, true, arena);
  if (!value.ok()) return {};
  const std::string_view is = value->is(Kind::Bool)                             ? kUnquotedBool
                              : value->is(Kind::Int) || value->is(Kind::Double) ? kUnquotedNumber
                                                                                : std::string_view();
  if (is.empty() || (!wanted.empty() && wanted != is)) return {};
  return fmt::format("without quotes {0} is {1}; write \"{0}\"", scalar, is);
}

}  // namespace portcullis
