#include "admission/builtin/normalize.h"

#include <ctime>

#include "admission/builtin/access.h"
#include "admission/builtin/convert.h"
#include "admission/builtin/defaults.h"
#include "admission/builtin/encode.h"

namespace portcullis::builtin {
namespace {

std::string_view member(const Value& object, std::string_view name) {
  const Value* found = object.is(Kind::Map) ? find_key(object, Value::string(name)) : nullptr;
  return found != nullptr && found->is(Kind::String) ? found->as_text() : std::string_view();
}

std::string_view time_now(Arena& arena) {
  std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[sizeof "2006-01-02T15:04:05Z"];
  return arena.copy({text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc)});
}

}  // namespace

const StructRow* struct_of(const Value& object) {
  return find_kind(member(object, "apiVersion"), member(object, "kind"));
}
bool is_builtin(const Value& object) { return struct_of(object) != nullptr; }

Normalized normalize(Arena& arena, const Value& object, const DecodeOptions& options) {
  return normalize(arena, *struct_of(object), object, options);
}

Normalized normalize(Arena& arena, const StructRow& row, const Value& object, const DecodeOptions& options) {
  Decoded decoded = decode(arena, row, object, options);
  if (!decoded.error.empty()) return {Value::null(), std::move(decoded.error), std::move(decoded.error_path)};
  apply_defaults(arena, *decoded.object, options.now.empty() ? time_now(arena) : options.now);
  if (std::string error = convert_to_and_fro(arena, *decoded.object); !error.empty()) return {Value::null(), std::move(error), {}};
  return {encode(arena, *decoded.object), {}, {}};
}

}  // namespace portcullis::builtin
