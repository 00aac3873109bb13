// What is wrong with objects, each mistake at its place in the text that it came from.
//
// Idea: the API server's words (admission/policies/check_object.h); an expression that does not compile has a problem
// for each of its mistakes, where that stands. Tested by library/engine_test.cc.
#pragma once

#include <portcullis/manifests.h>

#include <vector>

#include "admission/builtin/registration.h"
#include "admission/expressions/environment.h"
#include "grammar/shared_parses.h"
#include "manifests/definitions.h"
#include "manifests/object.h"

namespace portcullis {

using Problems = std::vector<v1::Problem>;

// A problem at a field of an object; `text` is the whole sentence.
v1::Problem problem_of(const InputObject& object, v1::Problem::Severity severity, std::string_view path,
                       std::string text);

// What the API server says to whoever creates an object of admissionregistration.k8s.io, `decoded`. False if it cannot be
// decoded, so that nothing can be made of it. `parses`: of all who look at its expressions.
bool check(const InputObject& object, const Decoded& decoded, KubernetesVersion version, SharedParses& parses,
           Problems& out);

// What it says to a CustomResourceDefinition.
void check(const GivenDefinition& given, Problems& out);

}  // namespace portcullis
