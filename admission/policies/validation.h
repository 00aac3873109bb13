// Validation of objects of admissionregistration.k8s.io: the errors of the API server, in its words and
// order.
//
// Idea: the functions are those of upstream, in the same order, and each adds to one list. Rules of metadata
// are in metadata_validation.cc, those of what is matched (rules, selectors, params) in match_validation.cc, those of
// policies and bindings in validation.cc, those of webhooks in webhook_validation.cc.
// Source of behaviour: k8s.io/kubernetes pkg/apis/admissionregistration/validation,
// pkg/registry/admissionregistration/*, apiserver pkg/registry/rest/{create,update}.go.
// Quirk: upstream walks Go maps (labels, annotations) in random order; here the order is by key.
// Tested by tests/oracle/mutate_policies.py.
#pragma once

#include <array>
#include <functional>
#include <set>
#include <string>
#include <tuple>

#include "admission/builtin/registration.h"
#include "admission/expressions/expression.h"
#include "admission/expressions/expression_places.h"
#include "admission/objects/field_error.h"
#include "admission/policies/check_object.h"
#include "admission/scalars/names.h"

namespace portcullis {

// Expressions of objects that were found to be valid, so that those of the next objects that equal them are not
// compiled again. Limits: of the last texts, since they may be many.
class ValidExpressions {
 public:
  // All that validity depends on, if no variable of the policy is mentioned.
  using Key = std::tuple<const ExpressionPlace*, bool /*params*/, bool /*variables are declared*/,
                         bool /*stored*/, const Environment*, std::string>;
  bool contains(const Key& key) const;
  void add(Key key);

 private:
  static constexpr size_t kMost = 256;
  std::set<Key> keys_;
};

// How to compile the expressions of an object, and who is notified of them.
struct ExpressionSetting {
  KubernetesVersion version = {};     // the libraries of expressions that the old object does not have
  SharedParses* parses = nullptr;     // shared parses of the object's expressions; may be null
  ValidExpressions* valid = nullptr;  // of the objects that are validated with this setting; may be null
  // Called with each compiled expression and its field path. May be empty.
  std::function<void(const std::string& path, const CompiledExpression& compiled)> told = {};
};

// The errors of creating `object`.
std::vector<FieldError> validate_create(const ApiKind& kind, const Data& object,
                                        const ExpressionSetting& setting);
// The errors of replacing `old` by `object`. First sets the generation of `object`, as the strategy of the
// registry does.
std::vector<FieldError> validate_update(const ApiKind& kind, const Data& object, const Data& old);
// The report of check_object (check_object.h) on the create of a decoded object, without `defaulted`.
ObjectReport check_decoded(const Decoded& object, const ExpressionSetting& setting);
// The warnings of a create or, if `update`, of an update.
std::vector<std::string> object_warnings(const ApiKind& kind, const Data& object, bool update);

// Whether `list` has `text`.
bool one_of(std::string_view text, std::initializer_list<std::string_view> list);

// --- parts shared by the files of validation: each adds the errors of the data at `path` to `errors`

// The check of a name: as a subdomain, as a label, or (the common check of the registry) as a path segment.
enum class NameRule : uint8_t { Subdomain, Label, PathSegment };
// What is wrong with a name or, if `prefix`, with generateName.
names::Messages check_name(std::string_view name, NameRule rule, bool prefix);
// `generation`: whether to check the generation that the request has; false if the registry has replaced it.
void validate_metadata(const Data& meta, NameRule rule, FieldErrors& errors, bool namespaced = false,
                       bool generation = true);
void validate_metadata_update(const Data& meta, const Data& old, FieldErrors& errors);
void validate_label_selector(const Data& selector, bool allow_invalid_values, const std::string& path,
                             FieldErrors& errors);
void validate_qualified_name(std::string_view name, const std::string& path, FieldErrors& errors);

// The expressions of the old object in an update; these texts are compiled with all libraries.
class Preexisting {
 public:
  Preexisting() = default;
  // Collects the expressions of an object.
  explicit Preexisting(const Data& object);
  bool has(ExpressionRole role, std::string_view text) const {
    return texts_[static_cast<size_t>(role)].contains(text);
  }

 private:
  std::array<std::set<std::string, std::less<>>, kExpressionRoles> texts_;
};
struct ConditionOptions {
  bool ignore = false;  // the update does not change the conditions
  bool params = false;
  Preexisting before;
  const ExpressionSetting& setting;
};
// Checks matchConditions of a policy or webhook: number, names, expressions.
void validate_match_conditions(const Data& conditions, const ConditionOptions& options,
                               const std::string& path, FieldErrors& errors);
// Checks a rule of matchConstraints or of a webhook: groups, versions, resources, operations, scope.
void validate_rule_with_operations(const Data& rule, const std::string& path, FieldErrors& errors);
// Checks matchConstraints of a policy or matchResources of a binding, if they are given.
void validate_match_resources(const Data& match, const std::string& path, FieldErrors& errors);
// In the rules of a mutating policy, DELETE is invalid.
void validate_mutating_operations(const Data& match, const std::string& path, FieldErrors& errors);
// Checks paramKind of a policy, and paramRef of a binding, if it is given.
void validate_param_kind(const Data& kind, const std::string& path, FieldErrors& errors);
void validate_param_ref(const Data& ref, const std::string& path, FieldErrors& errors);
// Checks `webhooks` of a webhook configuration. `old`: the object before an update, null on create.
void validate_webhooks(const ApiKind& kind, const Data& object, const Data* old, FieldErrors& errors,
                       const ExpressionSetting& setting);
// Adds the API server's warnings about `webhooks`.
void webhook_warnings(const Data& object, std::vector<std::string>& warnings);

}  // namespace portcullis
