// Mode `decode` of the batch protocol.

#include "admission/answer.h"
#include "admission/builtin/repeated.h"
#include "interpreter/json.h"

namespace portcullis {

void answer_decode(const Document& request, Answer& answer) {
  const Document* given = request.find("object");
  if (given == nullptr || !given->is(Document::Kind::Object)) return answer.input_error("object is not an object");
  Arena arena;
  Result<Value> object = read_json(given->raw, arena);
  if (!object.ok()) return answer.input_error(object.error().text);
  if (builtin::protocol_struct_of(*object) == nullptr) return answer.input_error("object is not of a built-in kind");
  Result<Value> normalized = builtin::normalize_document(arena, *given);
  if (normalized.ok()) {
    answer.set("object", to_json(*normalized));
  } else {
    answer.set_text("decodeError", "object: " + normalized.error().text);
  }
}

}  // namespace portcullis
