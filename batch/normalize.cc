// Mode `decode` of the batch protocol: objects of built-in kinds, decoded and defaulted.

#include "admission/builtin/normalize.h"
#include "admission/builtin/repeated.h"
#include "batch/request_line.h"
#include "batch/response.h"

namespace portcullis {

Result<void> answer_decode(const Document& request, Response& response) {
  const Document* given = request.find("object");
  if (given == nullptr || !given->is(Document::Kind::Object)) return Error{"object is not an object"};
  Arena arena;
  Result<Value> object = read_json(given->raw, arena);
  if (!object.ok()) {  // it has a number beyond a double
    response.member("decodeError", "object: " + object.error().text);
    return {};
  }
  if (builtin::protocol_struct_of(*object) == nullptr) {
    GroupVersionKind kind = kind_of(*given);
    if (Result<std::string_view> name = text_member(*given, "kind"); name.ok()) kind.kind = *name;
    return Error{kind_text(kind) + " is not a built-in kind"};
  }
  Result<Value> normalized = builtin::normalize_document(arena, *given);
  if (normalized.ok()) {
    response.member("object", *normalized);
  } else {
    response.member("decodeError", "object: " + normalized.error().text);
  }
  return {};
}

}  // namespace portcullis
