// Environments of Kubernetes' expressions: the libraries and options of each compatibility version.
//
// Idea: environment.cc has one table {introduced, removed, library or option}. An environment contains the
// rows in force at a version; it is built once and cached. A policy extends it by its variables, which costs
// only as much as those variables. Stored expressions get every row that was never removed. New expressions
// get the rows of their compatibility version, so that the previous API server understands them, too.
// Source of behaviour: k8s.io/apiserver pkg/cel/environment/base.go, pkg/admission/plugin/cel/compile.go.
// Tested by admission/expressions/environment_test.cc, the conformance table `environment`, and against the
// oracle.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "grammar/result.h"
#include "typecheck/environment.h"

namespace portcullis {

// Limits on run-time cost (pkg/apis/cel/config.go).
inline constexpr uint64_t kPerCallCostLimit = 1000000;  // one evaluation of one expression
// All validations of a policy for one param and request, and then their messages; all its audit annotations.
inline constexpr uint64_t kPolicyCostBudget = 10000000;
inline constexpr std::string_view kOutOfBudget =
    "validation failed due to running out of cost budget, no further validation rules will be run";
// All match conditions of one policy or webhook.
inline constexpr uint64_t kMatchConditionsCostBudget = 2500000;

// A compatibility version. The default is that of a 1.37 API server: one minor earlier, which permits a
// rollback. `compiler`: the server, whose release of cel-go compiles what its environments have; orders do not look
// at it.
struct KubernetesVersion {
  static constexpr uint32_t kFirst = 23,
                            kLast = 37;  // CEL came with 1.23; 1.37 is the newest release known here
  uint32_t major = 1;
  uint32_t minor = kLast - 1;
  uint32_t compiler = kLast;

  auto operator<=>(const KubernetesVersion& other) const {
    return std::pair(major, minor) <=> std::pair(other.major, other.minor);
  }
  bool operator==(const KubernetesVersion& other) const { return (*this <=> other) == 0; }
};

// Parses "1.30", "v1.30.2"; any other text is an error. A version after kLast is the same as kLast.
Result<KubernetesVersion> parse_kubernetes_version(std::string_view text);

// The environment of stored policies, which admission plugins run. A constant, shared by threads.
std::shared_ptr<const Environment> stored_environment();
// The environment of expressions written at this compatibility version. Versions that nothing tells apart have one.
// Cached; thread-safe.
std::shared_ptr<const Environment> new_environment(KubernetesVersion version);
// The environment of stored expressions on an API server of this minor.
inline KubernetesVersion stored_on(uint32_t minor) { return {1, minor, minor}; }
// The environment of new ones, which the server before it can read.
inline KubernetesVersion new_on(uint32_t minor) { return {1, minor - 1, minor}; }
// The environment of Kubernetes' cost tests for libraries: it has all libraries, folds nothing and permits
// literals of mixed types.
std::shared_ptr<const Environment> library_test_environment();

// A field of the types of `request` and `namespaceObject`.
struct TypeField {
  std::string_view structure;  // "kubernetes.AdmissionRequest"
  std::string_view field;      // "userInfo"
  std::string_view type;       // in the notation of typecheck/signature.h
};
std::span<const TypeField> admission_type_fields();

// The types kubernetes.AdmissionRequest, kubernetes.Namespace and their parts. Field names are not escaped.
const TypeProvider* admission_types();
// Only the types of one of them, for expressions that have only that variable.
const TypeProvider* request_types();
const TypeProvider* namespace_types();

// Adds the types of mutating policies (patches.h) and the library jsonpatch.
void add_patch_types(EnvironmentBuilder& builder);

// Names of the types of a policy's variables.
inline constexpr std::string_view kRequestType = "kubernetes.AdmissionRequest";
inline constexpr std::string_view kNamespaceType = "kubernetes.Namespace";
inline constexpr std::string_view kAuthorizerType = "kubernetes.authorization.Authorizer";
inline constexpr std::string_view kResourceCheckType = "kubernetes.authorization.ResourceCheck";

// Declares `object`, `oldObject`, `request`, `namespaceObject` and, if asked for, `params`, `authorizer` and
// `authorizer.requestResource`. `request` and `namespaceObject` are typed; `object`, `oldObject` and `params`
// are dyn. The caller declares `variables` (a struct type of its provider).
struct PolicyVariables {
  bool params = false;
  bool authorizer = false;
  bool patch_types = false;
};
void add_policy_variables(EnvironmentBuilder& builder, const PolicyVariables& declared);

// The first minor that has a function of this name ("ip", "sets.contains", "format.uri"), except a macro of
// that name with two variables; nothing if no version has it. For messages such as "`ip` needs Kubernetes
// 1.30".
std::optional<uint32_t> minor_of_function(std::string_view name);
// The first minor from `from` on that accepts the expression as new; nothing if none does. `declare` adds
// variables and may be empty. Compiles up to fifteen times. For messages such as "needs Kubernetes 1.32",
// which also cover macros, literals and overloads.
std::optional<uint32_t> minor_of_expression(std::string_view text,
                                            const std::function<void(EnvironmentBuilder&)>& declare,
                                            uint32_t from = KubernetesVersion::kFirst);
// Explains the compile error `error` of a new expression: "`ip` needs Kubernetes 1.30" for the first
// "undeclared reference to 'f'" whose function a later version has. Empty if there is none.
std::string explain_missing_function(std::string_view error, KubernetesVersion version);

}  // namespace portcullis
