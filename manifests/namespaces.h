// Puts objects into the namespaces in which a cluster would have them.
//
// Idea: every object passes here once. An object of a namespaced kind without a namespace gets that of the
// command line; an object of a cluster-scoped kind loses its namespace, as in a request to the API server.
// Later readers of objects need no such rule. Tested by tests/cli/kinds.txt.
#pragma once

#include <string_view>
#include <vector>

#include "admission/objects/request.h"
#include "manifests/object.h"
#include "manifests/resources.h"

namespace portcullis {

// The namespace of objects if neither they nor the command line name one.
inline constexpr std::string_view kDefaultNamespace = "default";

// Settles all objects. AdmissionReviews and their contents stay unchanged. New values live in `arena`.
void settle(std::vector<InputObject>& objects, const Resources& resources, std::string_view namespace_name,
            Arena& arena);
// The same for one object whose scope is known.
void settle(InputObject& object, bool namespaced, std::string_view namespace_name, Arena& arena);

// A given Namespace as the API server's informer holds it: with its name as a label, a uid and the time of its
// creation, and as a typed object without apiVersion and kind.
Value complete_namespace(const InputObject& object, Arena& arena);

// What the registry does with the namespace of the object of a create or update, which mutations may have changed: an
// object without gets that of the request, one of a cluster-scoped resource loses its own. Returns the API server's
// refusal (code 400) of any other namespace, a constant; empty if there is none. Values are made in `arena`.
std::string_view keep_namespace(AdmissionRequest& request, Arena& arena);

// Whether what a policy, binding or webhook configuration decides depends on the labels of namespaces; false for other
// objects.
bool sees_namespaces(const Value& object);

}  // namespace portcullis
