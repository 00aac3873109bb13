// Fields that a manifest has and its kind has not: one form for all kinds and all commands.
//
// Idea: the API server drops such a field and warns; so what its author means is not what policies see. The
// words are the server's, the place is that of the field, and a name that is spelt much like it is a hint.
// Tested by tests/cli/unknown_fields.txt.
#pragma once

#include <string>
#include <vector>

#include "admission/builtin/decode.h"
#include "cli/reading/input.h"

namespace portcullis {

// unknown field "spec.replica"
std::string unknown_field(const builtin::UnknownField& field);
// did you mean replicas? Empty if nothing is near.
std::string unknown_field_hint(const builtin::UnknownField& field);

// Says each field as a warning at its place. `inside`: where the fields' object stands in `object`, as
// "request.object" of an AdmissionReview; empty: it is the object itself.
void say_unknown_fields(const InputObject& object, const std::vector<builtin::UnknownField>& fields,
                        std::string_view inside = {});

// The fields of these paths ("spec.list[0].x") with what they may be meant to be by the schema of `version` in a
// CustomResourceDefinition. `object`: what has the fields.
std::vector<builtin::UnknownField> with_suggestions(const std::vector<std::string>& paths,
                                                    const Value& definition, std::string_view version,
                                                    const Value& object);

}  // namespace portcullis
