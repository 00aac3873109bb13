// See errors.h.
#include "cli/messages/errors.h"

#include "interpreter/values/arena.h"
#include "manifests/yaml.h"

namespace portcullis {

void write_error(JsonWriter& w, std::string_view file, Position position, std::string_view text,
                 std::string_view hint) {
  auto number = [&](std::string_view key, int value) {
    if (value < 1) return;
    w.key(key);
    w.integer(value);
  };
  auto words = [&](std::string_view key, std::string_view value) {
    if (value.empty()) return;
    w.key(key);
    w.string(value);
  };
  w.begin_object();
  number("column", position.column);
  words("file", file);
  words("hint", hint);
  number("line", position.line);
  words("text", text);
  w.end_object();
}

void write_errors(JsonWriter& w, std::span<const SaidError> errors) {
  w.key("errors");
  w.begin_list();
  for (const SaidError& e : errors) write_error(w, e.file, e.position, e.text, e.hint);
  w.end_list();
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
