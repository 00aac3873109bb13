// Answers of the batch protocol that concern admission: modes review, condition, validate, decode, crdrule.
//
// Idea: a line of JSON in, a line of JSON out, byte for byte what Kubernetes' own code answers. Modes are a
// table, so that others add theirs (typecheck, webhook; `cel` is cel.h's).
// Limits: a MutatingAdmissionPolicy in a review is an inputError.
// Tested by tests/corpus and tests/oracle/.
#pragma once

#include <string>
#include <string_view>

namespace portcullis {

// Whether `mode` is one that `answer_batch` knows.
bool is_batch_mode(std::string_view mode);

// The answer to one line (without line break at its end). Never fails: what cannot be made sense of is
// answered with `{"inputError": ...}`. A line without `mode` or with one not known is an inputError too.
std::string answer_batch(std::string_view line);

}  // namespace portcullis
