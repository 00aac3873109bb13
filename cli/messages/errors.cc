// See errors.h.
#include "cli/messages/errors.h"

#include "manifests/yaml.h"

namespace portcullis {

void write_error(JsonWriter& w, std::string_view file, Position position, std::string_view text,
                 std::string_view hint) {
  w.optional("column", position.column);
  w.optional("file", file);
  w.optional("hint", hint);
  w.optional("line", position.line);
  w.optional("text", text);
}

void write_errors(JsonWriter& w, std::span<const SaidError> errors) {
  w.list("errors", errors, [&](const SaidError& e) { write_error(w, e.file, e.position, e.text, e.hint); });
}

std::string said_errors_json() {
  std::string out;
  if (said_errors().empty()) return out;
  JsonWriter w(out);
  w.begin_object();
  write_errors(w, said_errors());
  w.end_object();
  return out + "\n";
}

std::string said_errors_yaml() {
  std::string json = said_errors_json();
  return json.empty() ? json : json_as_yaml(json);
}

}  // namespace portcullis
