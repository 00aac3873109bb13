// Validation: what the API server refuses in objects of admissionregistration.k8s.io, and in
// which words and order.
//
// Idea: the same functions in the same order as upstream, each adding to one list; rules of metadata stand in
// metadata_validation.cc, those of policies and bindings here, those of webhooks in webhook_validation.cc.
// Source of behaviour: k8s.io/kubernetes pkg/apis/admissionregistration/validation,
// pkg/registry/admissionregistration/*, apiserver pkg/registry/rest/{create,update}.go.
// Quirk: where upstream walks a Go map (labels, annotations) its order is random; ours is by key.
// Tested by tests/oracle/mutate_policies.py.
#pragma once

#include <array>
#include <functional>
#include <set>
#include <string>

#include "admission/builtin/registration.h"
#include "admission/expressions/expression.h"
#include "admission/expressions/expression_places.h"
#include "admission/objects/field_error.h"
#include "admission/policies/check_object.h"
#include "admission/scalars/names.h"

namespace portcullis {

// How the expressions of an object are compiled, and who is told.
struct ExpressionSetting {
  KubernetesVersion version = {};  // whose libraries expressions have that were not there before
  SharedParses* parses = nullptr;  // of all who look at the object; null: nobody else does
  // Is told each expression that is compiled, with its field path. May be empty.
  std::function<void(const std::string& path, const CompiledExpression& compiled)> told = {};
};

// Errors of creating `object`.
std::vector<FieldError> validate_create(const ApiKind& kind, const Data& object,
                                        const ExpressionSetting& setting = {});
// Errors of replacing `old` by `object`, which gets its generation, as the registry's strategy does before validation.
// `internal_version`s differ in nothing but declarative rules.
std::vector<FieldError> validate_update(const ApiKind& kind, const Data& object, const Data& old,
                                        const ExpressionSetting& setting = {});
// What check_object (check_object.h) says of creating a decoded object, all but `defaulted`.
ObjectReport check_decoded(const Decoded& object, const ExpressionSetting& setting);
// Warnings of a create (old null) or update.
std::vector<std::string> object_warnings(const ApiKind& kind, const Data& object, bool update);

// --- parts, shared by the files of validation: each adds to `errors` what is wrong with the data at `path`

// How names are checked: as a subdomain, or (the registry's common check) as a path segment.
enum class NameRule : uint8_t { Subdomain, PathSegment };
// `generation`: of the object as it is sent; false: the registry has given it another.
void validate_metadata(const Data& meta, NameRule rule, FieldErrors& errors, bool namespaced = false,
                       bool generation = true);
void validate_metadata_update(const Data& meta, const Data& old, FieldErrors& errors);
void validate_label_selector(const Data& selector, bool allow_invalid_values, const std::string& path,
                             FieldErrors& errors);
void validate_qualified_name(std::string_view name, const std::string& path, FieldErrors& errors);

// What was there before an update: texts found here are compiled with all libraries.
class Preexisting {
 public:
  Preexisting() = default;
  // The expressions of an object.
  explicit Preexisting(const Data& object);
  bool has(ExpressionRole role, std::string_view text) const {
    return texts_[static_cast<size_t>(role)].contains(text);
  }

 private:
  std::array<std::set<std::string, std::less<>>, kExpressionRoles> texts_;
};
struct ConditionOptions {
  bool ignore = false;  // unchanged since before
  bool params = false;
  Preexisting before;
  const ExpressionSetting& setting;
};
// matchConditions of a policy or webhook: number, names, expressions.
void validate_match_conditions(const Data& conditions, const ConditionOptions& options,
                               const std::string& path, FieldErrors& errors);
// A rule of matchConstraints or of a webhook: groups, versions, resources, operations, scope.
void validate_rule_with_operations(const Data& rule, const std::string& path, FieldErrors& errors);
// All of a webhook configuration's `webhooks`; `old`: the object before an update, null on create.
void validate_webhooks(const ApiKind& kind, const Data& object, const Data* old, FieldErrors& errors,
                       const ExpressionSetting& setting);
// What the API server warns of in them.
void webhook_warnings(const Data& object, std::vector<std::string>& warnings);

}  // namespace portcullis
