// Fields of a manifest that its kind does not have: one form of message for all kinds and commands.
//
// Idea: the API server drops such a field and warns, so policies do not see what the author means. The text
// is the server's, the position is that of the field, and a field of similar name is the hint. Tested by
// tests/cli/unknown_fields.txt.
#pragma once

#include <string>
#include <vector>

#include "admission/builtin/decode.h"
#include "manifests/object.h"

namespace portcullis {

// unknown field "spec.replica"
std::string unknown_field(const builtin::UnknownField& field);
// did you mean replicas? Empty if no name is similar.
std::string unknown_field_hint(const builtin::UnknownField& field);

// Prints each field as a warning at its position.
void say_unknown_fields(const InputObject& object, const std::vector<builtin::UnknownField>& fields);

// The fields at these paths ("spec.list[0].x"), with suggestions from the schema of `version` in a
// CustomResourceDefinition. `object`: the object with the fields.
std::vector<builtin::UnknownField> with_suggestions(const std::vector<std::string>& paths,
                                                    const Value& definition, std::string_view version,
                                                    const Value& object);

}  // namespace portcullis
