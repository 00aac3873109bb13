// Which outcomes of expressions a request keeps, to use them again (evaluate_once()).
//
// Tested by admission/engine/engine_test.cc.
#pragma once

#include <cstdint>

#include "admission/engine/loaded.h"

namespace portcullis {

// Whether an expression of the policy reads the variable of this number.
bool reads_variables(const LoadedPolicy& p, uint32_t number);
// Numbers the outcomes that a request may need more than once: of programs that several expressions share, and of those
// that a policy evaluates for several params or bindings, unless they read the params or `variables`, which are set
// anew.
void number_memos(CompiledPolicies& engine);

}  // namespace portcullis
