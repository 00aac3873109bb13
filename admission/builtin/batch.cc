// Mode `decode` of the batch protocol.

#include "admission/answer.h"
#include "admission/builtin/repeated.h"
#include "interpreter/json.h"

namespace portcullis {

namespace {

// "apps/v1, Kind=Deployment", as Go prints a kind; an apiVersion with several slashes is none.
std::string kind_text(const Value& object) {
  auto text = [&](std::string_view name) {
    const Value* found = object.is(Kind::Map) ? find_key(object, Value::string(name)) : nullptr;
    return found != nullptr && found->is(Kind::String) ? std::string(found->as_text()) : std::string();
  };
  std::string version = text("apiVersion");
  size_t slash = version.find('/');
  if (slash == std::string::npos) version = "/" + version;
  else if (version.find('/', slash + 1) != std::string::npos) version = "/";
  return version + ", Kind=" + text("kind");
}

}  // namespace

void answer_decode(const Document& request, Answer& answer) {
  const Document* given = request.find("object");
  if (given == nullptr || !given->is(Document::Kind::Object)) return answer.input_error("object is not an object");
  Arena arena;
  Result<Value> object = read_json(given->raw, arena);
  if (!object.ok()) return answer.input_error(object.error().text);
  if (builtin::protocol_struct_of(*object) == nullptr) return answer.input_error(kind_text(*object) + " is not a built-in kind");
  Result<Value> normalized = builtin::normalize_document(arena, *given);
  if (normalized.ok()) {
    answer.set("object", to_json(*normalized));
  } else {
    answer.set_text("decodeError", "object: " + normalized.error().text);
  }
}

}  // namespace portcullis
