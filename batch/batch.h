// The modes of the batch protocol that concern admission: review, condition, validate, typecheck, decode,
// crdrule.
//
// Idea: a line of JSON in, a line of JSON out, byte for byte the answer of Kubernetes' own code. batch.cc has
// the table of modes; mode `cel` is in cel.h. Source of behaviour: the oracle, whose README describes the
// protocol. Tested by tests/corpus and tests/oracle/.
#pragma once

#include <string>
#include <string_view>

namespace portcullis {

// Whether `answer_batch` knows the mode.
bool is_batch_mode(std::string_view mode);

// The answer to one line (without its line break). Never fails: a line that makes no sense, or has no known
// `mode`, is answered by `{"inputError": ...}`.
std::string answer_batch(std::string_view line);

}  // namespace portcullis
