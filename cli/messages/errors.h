// Errors about the input as JSON: the list `errors` of every report that programs read (docs/output.md).
// Tested by tests/cli/refused.txt.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/messages/messages.h"
#include "interpreter/values/json.h"

namespace portcullis {

// One error: {column, file, hint, line, text}, without those that there are not.
void write_error(JsonWriter& w, std::string_view file, Position position, std::string_view text,
                 std::string_view hint);

// The member `errors`.
void write_errors(JsonWriter& w, std::span<const SaidError> errors);

// {"errors": [...]} and a line break, of all that was said; empty if nothing was.
std::string said_errors_json();
// The same as a YAML document.
std::string said_errors_yaml();

}  // namespace portcullis
