// Objects in the namespaces where a cluster has them.
//
// Idea: an object enters by one door: of a namespaced kind and without a namespace it comes to stand in that
// of the command line, of a cluster-scoped kind it loses the one it names, as in a request to the API server.
// Whoever reads objects later need not think of it. Tested by tests/cli/kinds.txt.
#pragma once

#include <string_view>
#include <vector>

#include "manifests/object.h"
#include "manifests/resources.h"

namespace portcullis {

// Where objects are if nobody says where.
inline constexpr std::string_view kDefaultNamespace = "default";

// AdmissionReviews, and what stands in them, stay as they are. New values live in `arena`.
void settle(std::vector<InputObject>& objects, const Resources& resources, std::string_view namespace_name,
            Arena& arena);
// The same of one object, by a scope that is known.
void settle(InputObject& object, bool namespaced, std::string_view namespace_name, Arena& arena);

// A given Namespace as the API server would have it: with its name as a label.
Value complete_namespace(const InputObject& object, Arena& arena);

// `map` without a member.
Value without_member(const Value& map, std::string_view key, Arena& arena);

}  // namespace portcullis
