// Reads the test files of Kyverno's command line (kyverno-test.yaml, kind Test) as suites: for policies of Kubernetes,
// that is ValidatingAdmissionPolicy and MutatingAdmissionPolicy.
//
// Idea: a result becomes a case for each resource that it means, which expects `results` of the policy and, with
// patchedResources, the mutated object. What of a file has no meaning for these policies is named: a result about
// another kind of policy is skipped with the reason, a member without effect is in Suite::unused. A result about a policy
// that no file has is an error. Policies without a binding apply everywhere, as in Kyverno. Tested by tests/cli/test_kyverno.txt, tests/suites/kyverno.py.
#pragma once

#include "cli/suites/suite.h"

namespace portcullis::suites {

bool is_kyverno_test(const Value& document);
// Reads the suite's document; false if it has errors, which are printed.
bool read_kyverno(Suite& suite);

}  // namespace portcullis::suites
