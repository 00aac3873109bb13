#include "admission/patching/patched.h"

#include "interpreter/values/builder.h"

namespace portcullis::patching {

Patched refused(Arena& arena, std::initializer_list<std::string_view> parts) {
  return {.object = Value::null(), .error = joined(arena, parts)};
}

Patched internal_error(Arena& arena, std::string_view cause) {
  Patched out = refused(arena, {"Internal error occurred: ", cause});
  out.code = 500;
  out.reason = "InternalError";
  out.cause = out.error.substr(out.error.size() - cause.size());
  return out;
}

Patched unavailable(Arena& arena, std::string_view message) {
  Patched out = refused(arena, {message});
  out.code = 503;
  out.reason = "ServiceUnavailable";
  return out;
}

}  // namespace portcullis::patching
