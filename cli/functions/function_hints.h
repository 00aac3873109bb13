// What a function that an expression calls and nobody declares was probably meant to be: startWith -> startsWith.
//
// Idea: the API server's words stay as they are; a function or macro of the release that is spelt much like the
// name is a hint beside them. Names with a dot (sets.contains) are compared whole. Tested by
// tests/cli/function_hints.txt.
#pragma once

#include <string>
#include <string_view>

#include "admission/expressions/environment.h"
#include "grammar/result.h"

namespace portcullis {

// "did you mean startsWith?" for an issue as "undeclared reference to 'startWith' (in container '')" at `position` of
// `expression`; empty if it is another issue, if no function is called there, or nothing is near.
std::string meant_function(std::string_view issue, Position position, std::string_view expression,
                           KubernetesVersion version);

}  // namespace portcullis
