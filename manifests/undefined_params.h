// Kinds of params that neither a table nor a CustomResourceDefinition has: they are assumed to exist.
//
// Idea: the search for a param depends on whether its kind is namespaced. Without a definition, the objects may still
// show it: an object of the kind or a paramRef has a namespace, a recorded request has one or none. Whoever loads them
// may also state it. Limits: evidence shows what the author means, not what a cluster has.
// Tested by tests/cli/param_scopes.txt and library/load_test.cc.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/result.h"
#include "manifests/resources.h"
#include "manifests/roles.h"

namespace portcullis {

// Something among the objects that only a kind of one scope has.
struct ScopeEvidence {
  const InputObject* object;
  std::string path;
  std::string_view what;
};

struct UndefinedKind {
  std::string group, kind;
  std::vector<std::string> api_versions = {};
  GivenPolicies::Objects policies = {};    // that name it
  GivenPolicies::Objects referenced = {};  // those with a paramRef, so that params are searched
  std::optional<bool> given = {};  // whether namespaced, as its project's definition or somebody states
  std::optional<ScopeEvidence> namespaced = {}, cluster = {};
};

// The undefined kinds of params of the policies. `objects`: all, which are not settled (namespaces.h) yet.
std::vector<UndefinedKind> undefined_param_kinds(const GivenPolicies& policies,
                                                 std::span<std::vector<InputObject>* const> objects,
                                                 const Resources& resources);
// The scope of a kind as the command line states it (--params-scope).
struct StatedScope {
  std::string api_version, kind;
  bool namespaced;
};
// An apiVersion and a kind each.
using NamedKinds = std::set<std::pair<std::string, std::string>>;
// The kinds of the objects, and those that policies among them name as paramKind.
NamedKinds named_kinds(std::span<const InputObject> objects);
// Reads KIND=Cluster or KIND=Namespaced; KIND is one of `kinds`, as Kind, Kind.group or group/version/Kind.
Result<StatedScope> read_stated_scope(std::string_view text, const NamedKinds& kinds);

// The kind of this name; null if there is none.
UndefinedKind* find_undefined(std::vector<UndefinedKind>& kinds, std::string_view group,
                              std::string_view kind);

}  // namespace portcullis
