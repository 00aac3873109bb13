// Mode `decode` of the batch protocol.

#include "admission/answer.h"
#include "admission/builtin/normalize.h"
#include "interpreter/json.h"

namespace portcullis {

void answer_decode(const Document& request, Answer& answer) {
  const Document* given = request.find("object");
  if (given == nullptr || !given->is(Document::Kind::Object)) return answer.input_error("object is not an object");
  Arena arena;
  JsonReader reader;
  Result<Value> object = reader.read(given->raw, arena);
  if (!object.ok()) return answer.input_error(object.error().text);
  if (!builtin::is_builtin(*object)) return answer.input_error("object is not of a built-in kind");
  builtin::DecodeOptions options;
  options.json = given->raw;
  builtin::Normalized normalized = builtin::normalize(arena, *object, options);
  if (normalized.error.empty()) {
    answer.set("object", to_json(normalized.object));
  } else {
    answer.set_text("decodeError", "object: " + normalized.error);
  }
}

}  // namespace portcullis
