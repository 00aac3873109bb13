// The kinds that a policy is type-checked for.
//
// Source of behaviour: apiserver pkg/admission/plugin/policy/validating/typechecking.go, which ignores rules with
// wildcards and subresources. Tested by admission/typing/typecheck_test.cc.
#pragma once

#include <cstdint>
#include <map>

#include "admission/builtin/data.h"
#include "admission/typing/catalog.h"

namespace portcullis {

// The most kinds of a rule; then the search ends, also for later rules.
inline constexpr int kMaxTypesToCheck = 10;

// In order; each with the operations of its requests (operation_bit), also those of rules with wildcards.
using CheckedKinds = std::map<KindId, uint8_t>;

// `spec`: of the policy. `all`: also kinds that only discovery knows.
CheckedKinds kinds_to_check(const Data& spec, const SchemaCatalog& catalog, bool all);

}  // namespace portcullis
