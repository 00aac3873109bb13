// Errors about the input as JSON: the list `errors` in every report for programs (docs/output.md). Tested by
// tests/cli/refused.txt.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/messages/messages.h"
#include "interpreter/values/json.h"

namespace portcullis {

// Writes the members of one error, column, file, hint, line and text, without the empty ones.
void write_error(JsonWriter& w, std::string_view file, Position position, std::string_view text,
                 std::string_view hint);

// Writes the member `errors`.
void write_errors(JsonWriter& w, std::span<const SaidError> errors);

// {"errors": [...]} and a line break, with all errors said so far; empty if there are none.
std::string said_errors_json();
// The same as a YAML document.
std::string said_errors_yaml();

}  // namespace portcullis
