// Suggestions for undeclared functions in an expression: startWith -> startsWith.
//
// Idea: the API server's message is unchanged; the hint names a function or macro of the release with a
// similar name. Names with a dot (sets.contains) are compared as a whole. Tested by
// tests/cli/function_hints.txt.
#pragma once

#include <string>
#include <string_view>

#include "admission/expressions/environment.h"
#include "grammar/result.h"

namespace portcullis {

// "did you mean startsWith?" for an issue such as "undeclared reference to 'startWith' (in container '')" at
// `position` of `expression`; empty for another issue, if no function is called there, or if no name is
// similar.
std::string meant_function(std::string_view issue, Position position, std::string_view expression,
                           KubernetesVersion version);

}  // namespace portcullis
