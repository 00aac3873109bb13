// Environments of Kubernetes' expressions: which libraries and options each compatibility version has.
//
// Idea: one table of {introduced, removed, library or option} (environment.cc); an environment is what of it
// is in force at a version, built once and cached. Policies extend one by their variables, which costs as
// much as those variables. Stored expressions get everything that was not removed; new ones what their
// compatibility version has, so that the API server before this one understands them, too.
// Source of behaviour: k8s.io/apiserver pkg/cel/environment/base.go, pkg/admission/plugin/cel/compile.go.
// Tested by admission/expressions/environment_test.cc, the conformance table `environment`, and against the oracle.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "grammar/result.h"
#include "typecheck/environment.h"

namespace portcullis {

// Limits on run-time cost (pkg/apis/cel/config.go).
inline constexpr uint64_t kPerCallCostLimit = 1000000;   // one evaluation of one expression
inline constexpr uint64_t kPolicyCostBudget = 10000000;  // all of a policy for one binding and request
// The match conditions of a policy or webhook.
inline constexpr uint64_t kMatchConditionsCostBudget = 2500000;

// A compatibility version. The default is that of a 1.37 API server, which is one minor behind, so
// that a rollback works.
struct KubernetesVersion {
  static constexpr uint32_t kFirst = 23,
                            kLast = 37;  // minors: CEL came with 1.23; 1.37 is the newest known here
  uint32_t major = 1;
  uint32_t minor = kLast - 1;

  auto operator<=>(const KubernetesVersion&) const = default;
};

// Reads "1.30", "v1.30.2"; an error for anything else. Versions beyond kLast are those of kLast
// with nothing added.
Result<KubernetesVersion> parse_kubernetes_version(std::string_view text);

// What policies that are stored compile with, and what the admission plugins run.
// Constant, shared by threads.
std::shared_ptr<const Environment> stored_environment();
// What expressions that are written at this compatibility version compile with. Cached; thread-safe.
std::shared_ptr<const Environment> new_environment(KubernetesVersion version);
// That of the cost tests of Kubernetes' libraries: nothing is folded, literals may mix types, and all
// libraries are there.
std::shared_ptr<const Environment> library_test_environment();

// A field of the types of `request` and `namespaceObject`.
struct TypeField {
  std::string_view structure;  // "kubernetes.AdmissionRequest"
  std::string_view field;      // "userInfo"
  std::string_view type;       // in the notation of typecheck/signature.h
};
std::span<const TypeField> admission_type_fields();

// The types kubernetes.AdmissionRequest, kubernetes.Namespace and what they are made of. Field
// names are not escaped.
const TypeProvider* admission_types();
// Only those of one of the two, for expressions that have just that variable.
const TypeProvider* request_types();
const TypeProvider* namespace_types();

// Adds the types of mutating policies (patches.h) and the library jsonpatch.
void add_patch_types(EnvironmentBuilder& builder);

// Names of the types of the variables of a policy.
inline constexpr std::string_view kRequestType = "kubernetes.AdmissionRequest";
inline constexpr std::string_view kNamespaceType = "kubernetes.Namespace";
inline constexpr std::string_view kAuthorizerType = "kubernetes.authorization.Authorizer";
inline constexpr std::string_view kResourceCheckType = "kubernetes.authorization.ResourceCheck";

// Declares `object`, `oldObject`, `request`, `namespaceObject` and, where asked for, `params` (all but the
// typed two dyn), `authorizer` and `authorizer.requestResource`. `variables` is the policy's own affair (a
// struct type of its provider).
struct PolicyVariables {
  bool params = false;
  bool authorizer = false;
  bool patch_types = false;
};
void add_policy_variables(EnvironmentBuilder& builder, const PolicyVariables& declared);

// The first minor that has a function of this name ("ip", "sets.contains", "format.uri"), a macro of
// that name with two variables excepted; nothing if no version has it. For messages such as "`ip`
// needs Kubernetes 1.30".
std::optional<uint32_t> minor_of_function(std::string_view name);
// The first minor from `from` on that accepts the expression as new; nothing if none does. `declare` (may be
// empty) adds the variables. Compiles up to fifteen times: for messages such as "needs Kubernetes 1.32",
// which cover macros, literals and overloads, too.
std::optional<uint32_t> minor_of_expression(std::string_view text,
                                            const std::function<void(EnvironmentBuilder&)>& declare,
                                            uint32_t from = KubernetesVersion::kFirst);
// What a compile error of a new expression can be explained with: the first function in `text`, a display
// of errors with "undeclared reference to 'f'", that a later version has. Empty if there is none: "`ip`
// needs Kubernetes 1.30".
std::string explain_missing_function(std::string_view error, KubernetesVersion version);

}  // namespace portcullis
