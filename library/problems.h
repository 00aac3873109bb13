// Errors of objects, each with its place in the text of the object.
//
// Idea: the texts are those of the API server (admission/policies/check_object.h). An expression that does
// not compile has one problem for each error, at the position of that error. Tested by
// library/load_test.cc.
#pragma once

#include <portcullis/manifests.h>

#include <vector>

#include "admission/builtin/registration.h"
#include "admission/expressions/environment.h"
#include "admission/policies/validation.h"
#include "grammar/shared_parses.h"
#include "manifests/definitions.h"
#include "manifests/object.h"

namespace portcullis {

using Problems = std::vector<v1::Problem>;

// A problem at a field of an object; `text` is the whole message.
v1::Problem problem_of(const InputObject& object, v1::Problem::Severity severity, std::string_view path,
                       std::string text);

// What the API server says to whoever creates an object of admissionregistration.k8s.io, `decoded`. False if it
// cannot be decoded, so that nothing can be made of it. `parses`: of all who look at its expressions; `valid`: of all
// objects that are checked.
bool check(const InputObject& object, const Decoded& decoded, KubernetesVersion version, SharedParses& parses,
           ValidExpressions& valid, Problems& out);

// Adds its errors of a CustomResourceDefinition.
void check(const GivenDefinition& given, Problems& out);

}  // namespace portcullis
