// The rows of schema.h: every field of the six kinds of admissionregistration.k8s.io, of Namespace and of
// request options. Source: k8s.io/api/admissionregistration, k8s.io/apimachinery/pkg/apis/meta/v1, and the
// defaults of k8s.io/kubernetes/pkg/apis/admissionregistration. Tested by tests/oracle (mutate_policies.py).
#include "admission/objects/schema.h"

namespace portcullis {
namespace {

using enum FieldKind;
constexpr uint8_t kOptional = kPointer | kOmitEmpty;

constexpr FieldRow kOwnerReferenceFields[] = {
    {"apiVersion", String, kPlainField},     {"kind", String, kPlainField},
    {"name", String, kPlainField},           {"uid", String, kPlainField, "types.UID"},
    {"controller", Bool, kOptional, "bool"}, {"blockOwnerDeletion", Bool, kOptional, "bool"},
};
constexpr StructRow kOwnerReference{"OwnerReference", kOwnerReferenceFields};

constexpr FieldRow kManagedFieldsFields[] = {
    {"manager"},     {"operation", String, kOmitEmpty, "v1.ManagedFieldsOperationType"},
    {"apiVersion"},  {"time", Time, kOptional, "v1.Time"},
    {"fieldsType"},  {"fieldsV1", Raw, kOptional, "v1.FieldsV1"},
    {"subresource"},
};
constexpr StructRow kManagedFieldsEntry{"ManagedFieldsEntry", kManagedFieldsFields};

constexpr FieldRow kObjectMetaFields[] = {
    {"name"},
    {"generateName"},
    {"namespace"},
    {"selfLink"},
    {"uid", String, kOmitEmpty, "types.UID"},
    {"resourceVersion"},
    {"generation", Int64, kOmitEmpty, "int64"},
    {"creationTimestamp", Time, kOmitZero, "v1.Time"},
    {"deletionTimestamp", Time, kOptional, "v1.Time"},
    {"deletionGracePeriodSeconds", Int64, kOptional, "int64"},
    {"labels", StringMap, kOmitEmpty, "map[string]string"},
    {"annotations", StringMap, kOmitEmpty, "map[string]string"},
    {"ownerReferences", Structs, kOmitEmpty, "v1.OwnerReference", &kOwnerReference},
    {"finalizers", Strings},
    {"managedFields", Structs, kOmitEmpty, "v1.ManagedFieldsEntry", &kManagedFieldsEntry},
};
constexpr StructRow kObjectMeta{"ObjectMeta", kObjectMetaFields};

constexpr FieldRow kRequirementFields[] = {
    {"key", String, kPlainField},
    {"operator", String, kPlainField, "v1.LabelSelectorOperator"},
    {"values", Strings},
};
constexpr StructRow kRequirement{"LabelSelectorRequirement", kRequirementFields};

constexpr FieldRow kLabelSelectorFields[] = {
    {"matchLabels", StringMap, kOmitEmpty, "map[string]string"},
    {"matchExpressions", Structs, kOmitEmpty, "v1.LabelSelectorRequirement", &kRequirement},
};
constexpr StructRow kLabelSelector{"LabelSelector", kLabelSelectorFields};

constexpr FieldRow kConditionFields[] = {
    {"type", String, kPlainField},
    {"status", String, kPlainField, "v1.ConditionStatus"},
    {"observedGeneration", Int64, kOmitEmpty, "int64"},
    {"lastTransitionTime", Time, kPlainField, "v1.Time"},
    {"reason", String, kPlainField},
    {"message", String, kPlainField},
};
constexpr StructRow kCondition{"Condition", kConditionFields};

constexpr FieldRow kParamKindFields[] = {{"apiVersion"}, {"kind"}};
constexpr StructRow kParamKind{"ParamKind", kParamKindFields};

constexpr FieldDefault kEverywhere(std::string_view json) { return {json, json, json}; }
constexpr FieldDefault kSelectorDefault = kEverywhere("{}");

constexpr FieldRow kNamedRuleFields[] = {
    {"resourceNames", Strings},
    {"operations", Strings, kOmitEmpty, "v1.OperationType", nullptr, "RuleWithOperations"},
    {"apiGroups", Strings, kOmitEmpty, "string", nullptr, "RuleWithOperations.Rule"},
    {"apiVersions", Strings, kOmitEmpty, "string", nullptr, "RuleWithOperations.Rule"},
    {"resources", Strings, kOmitEmpty, "string", nullptr, "RuleWithOperations.Rule"},
    {"scope", String, kOptional, "v1.ScopeType", nullptr, "RuleWithOperations.Rule", kEverywhere("*")},
};
constexpr StructRow kNamedRule{"NamedRuleWithOperations", kNamedRuleFields};

constexpr FieldRow kRuleFields[] = {
    {"operations", Strings, kOmitEmpty, "v1.OperationType"},
    {"apiGroups", Strings, kOmitEmpty, "string", nullptr, "Rule"},
    {"apiVersions", Strings, kOmitEmpty, "string", nullptr, "Rule"},
    {"resources", Strings, kOmitEmpty, "string", nullptr, "Rule"},
    {"scope", String, kOptional, "v1.ScopeType", nullptr, "Rule", kEverywhere("*")},
};
constexpr StructRow kRule{"RuleWithOperations", kRuleFields};

constexpr FieldRow kMatchResourcesFields[] = {
    {"namespaceSelector", Struct, kOptional, "v1.LabelSelector", &kLabelSelector, {}, kSelectorDefault},
    {"objectSelector", Struct, kOptional, "v1.LabelSelector", &kLabelSelector, {}, kSelectorDefault},
    {"resourceRules", Structs, kOmitEmpty, "@.NamedRuleWithOperations", &kNamedRule},
    {"excludeResourceRules", Structs, kOmitEmpty, "@.NamedRuleWithOperations", &kNamedRule},
    {"matchPolicy", String, kOptional, "@.MatchPolicyType", nullptr, {}, kEverywhere("Equivalent")},
};
constexpr StructRow kMatchResources{"MatchResources", kMatchResourcesFields};

constexpr FieldRow kValidationFields[] = {
    {"expression", String, kPlainField},
    {"message"},
    {"reason", String, kOptional, "v1.StatusReason"},
    {"messageExpression"},
};
constexpr StructRow kValidation{"Validation", kValidationFields};

constexpr FieldRow kNamedExpressionFields[] = {{"name", String, kPlainField},
                                               {"expression", String, kPlainField}};
constexpr StructRow kVariable{"Variable", kNamedExpressionFields};
constexpr StructRow kMatchCondition{"MatchCondition", kNamedExpressionFields};

constexpr FieldRow kAuditAnnotationFields[] = {{"key", String, kPlainField},
                                               {"valueExpression", String, kPlainField}};
constexpr StructRow kAuditAnnotation{"AuditAnnotation", kAuditAnnotationFields};

constexpr FieldDefault kFail = kEverywhere("Fail");

constexpr FieldRow kPolicySpecFields[] = {
    {"paramKind", Struct, kOptional, "@.ParamKind", &kParamKind},
    {"matchConstraints", Struct, kOptional, "@.MatchResources", &kMatchResources},
    {"validations", Structs, kOmitEmpty, "@.Validation", &kValidation},
    {"failurePolicy", String, kOptional, "@.FailurePolicyType", nullptr, {}, kFail},
    {"auditAnnotations", Structs, kOmitEmpty, "@.AuditAnnotation", &kAuditAnnotation},
    {"matchConditions", Structs, kOmitEmpty, "@.MatchCondition", &kMatchCondition},
    {"variables", Structs, kOmitEmpty, "@.Variable", &kVariable},
};
constexpr StructRow kPolicySpec{"ValidatingAdmissionPolicySpec", kPolicySpecFields};

constexpr FieldRow kExpressionWarningFields[] = {{"fieldRef", String, kPlainField},
                                                 {"warning", String, kPlainField}};
constexpr StructRow kExpressionWarning{"ExpressionWarning", kExpressionWarningFields};
constexpr FieldRow kTypeCheckingFields[] = {
    {"expressionWarnings", Structs, kOmitEmpty, "@.ExpressionWarning", &kExpressionWarning}};
constexpr StructRow kTypeChecking{"TypeChecking", kTypeCheckingFields};
constexpr FieldRow kPolicyStatusFields[] = {
    {"observedGeneration", Int64, kOmitEmpty, "int64"},
    {"typeChecking", Struct, kOptional, "@.TypeChecking", &kTypeChecking},
    {"conditions", Structs, kOmitEmpty, "v1.Condition", &kCondition},
};
constexpr StructRow kPolicyStatus{"ValidatingAdmissionPolicyStatus", kPolicyStatusFields};

constexpr FieldRow kParamRefFields[] = {
    {"name"},
    {"namespace"},
    {"selector", Struct, kOptional, "v1.LabelSelector", &kLabelSelector},
    {"parameterNotFoundAction",
     String,
     kOptional,
     "@.ParameterNotFoundActionType",
     nullptr,
     {},
     {{}, {}, "Deny"}},
};
constexpr StructRow kParamRef{"ParamRef", kParamRefFields};

constexpr FieldRow kBindingSpecFields[] = {
    {"policyName"},
    {"paramRef", Struct, kOptional, "@.ParamRef", &kParamRef},
    {"matchResources", Struct, kOptional, "@.MatchResources", &kMatchResources},
    {"validationActions", Strings, kOmitEmpty, "@.ValidationAction"},
};
constexpr StructRow kBindingSpec{"ValidatingAdmissionPolicyBindingSpec", kBindingSpecFields};
constexpr StructRow kMutatingBindingSpec{"MutatingAdmissionPolicyBindingSpec",
                                         std::span(kBindingSpecFields).first(3)};

constexpr FieldRow kPatchFields[] = {{"expression"}};
constexpr StructRow kApplyConfiguration{"ApplyConfiguration", kPatchFields};
constexpr StructRow kJsonPatch{"JSONPatch", kPatchFields};
constexpr FieldRow kMutationFields[] = {
    {"patchType", String, kPlainField, "@.PatchType"},
    {"applyConfiguration", Struct, kOptional, "@.ApplyConfiguration", &kApplyConfiguration},
    {"jsonPatch", Struct, kOptional, "@.JSONPatch", &kJsonPatch},
};
constexpr StructRow kMutation{"Mutation", kMutationFields};
constexpr FieldRow kMutatingSpecFields[] = {
    {"paramKind", Struct, kOptional, "@.ParamKind", &kParamKind},
    {"matchConstraints", Struct, kOptional, "@.MatchResources", &kMatchResources},
    {"variables", Structs, kOmitEmpty, "@.Variable", &kVariable},
    {"mutations", Structs, kOmitEmpty, "@.Mutation", &kMutation},
    {"failurePolicy", String, kOptional, "@.FailurePolicyType", nullptr, {}, kFail},
    {"matchConditions", Structs, kOmitEmpty, "@.MatchCondition", &kMatchCondition},
    {"reinvocationPolicy", String, kOmitEmpty, "v1.ReinvocationPolicyType"},
};
constexpr StructRow kMutatingSpec{"MutatingAdmissionPolicySpec", kMutatingSpecFields};

constexpr FieldRow kServiceFields[] = {
    {"namespace", String, kPlainField},
    {"name", String, kPlainField},
    {"path", String, kOptional},
    {"port", Int32, kOptional, "int32", nullptr, {}, kEverywhere("443")},
};
constexpr StructRow kService{"ServiceReference", kServiceFields};
constexpr FieldRow kClientConfigFields[] = {
    {"url", String, kOptional},
    {"service", Struct, kOptional, "@.ServiceReference", &kService},
    {"caBundle", Bytes, kOmitEmpty, "uint8"},
};
constexpr StructRow kClientConfig{"WebhookClientConfig", kClientConfigFields};

// Rows that both sorts of webhooks have, in Go's order; the mutating one has another before the last.
#define PORTCULLIS_WEBHOOK_ROWS                                                                            \
  {"name", String, kPlainField},                                                                           \
      {"clientConfig", Struct, kPlainField, "@.WebhookClientConfig", &kClientConfig},                      \
      {"rules", Structs, kOmitEmpty, "v1.RuleWithOperations", &kRule},                                     \
      {"failurePolicy", String, kOptional, "@.FailurePolicyType", nullptr, {}, {"Fail", "Ignore", {}}},    \
      {"matchPolicy", String, kOptional, "@.MatchPolicyType", nullptr, {}, {"Equivalent", "Exact", {}}},   \
      {"namespaceSelector", Struct, kOptional, "v1.LabelSelector", &kLabelSelector, {}, kSelectorDefault}, \
      {"objectSelector", Struct, kOptional, "v1.LabelSelector", &kLabelSelector, {}, kSelectorDefault},    \
      {"sideEffects", String, kPointer, "@.SideEffectClass", nullptr, {}, {{}, "Unknown", {}}},            \
      {"timeoutSeconds", Int32, kOptional, "int32", nullptr, {}, {"10", "30", {}}}, {                      \
    "admissionReviewVersions", Strings, kPlainField, "string", nullptr, {}, {                              \
      {}, "[v1beta1]", {}                                                                                  \
    }                                                                                                      \
  }
constexpr FieldRow kValidatingWebhookFields[] = {
    PORTCULLIS_WEBHOOK_ROWS,
    {"matchConditions", Structs, kOmitEmpty, "@.MatchCondition", &kMatchCondition},
};
constexpr StructRow kValidatingWebhook{"ValidatingWebhook", kValidatingWebhookFields};
constexpr FieldRow kMutatingWebhookFields[] = {
    PORTCULLIS_WEBHOOK_ROWS,
    {"reinvocationPolicy",
     String,
     kOptional,
     "v1.ReinvocationPolicyType",
     nullptr,
     {},
     {"Never", "Never", {}}},
    {"matchConditions", Structs, kOmitEmpty, "@.MatchCondition", &kMatchCondition},
};
constexpr StructRow kMutatingWebhook{"MutatingWebhook", kMutatingWebhookFields};
#undef PORTCULLIS_WEBHOOK_ROWS

constexpr FieldRow kKindRow{"kind", String, kOmitEmpty, "string", nullptr, "TypeMeta"};
constexpr FieldRow kApiVersionRow{"apiVersion", String, kOmitEmpty, "string", nullptr, "TypeMeta"};
constexpr FieldRow kMetadataRow{"metadata", Struct, kPlainField, "v1.ObjectMeta", &kObjectMeta};

constexpr FieldRow kPolicyFields[] = {
    kKindRow,
    kApiVersionRow,
    kMetadataRow,
    {"spec", Struct, kPlainField, "@.ValidatingAdmissionPolicySpec", &kPolicySpec},
    {"status", Struct, kPlainField, "@.ValidatingAdmissionPolicyStatus", &kPolicyStatus}};
constexpr StructRow kPolicy{"ValidatingAdmissionPolicy", kPolicyFields};
constexpr FieldRow kBindingFields[] = {
    kKindRow,
    kApiVersionRow,
    kMetadataRow,
    {"spec", Struct, kPlainField, "@.ValidatingAdmissionPolicyBindingSpec", &kBindingSpec}};
constexpr StructRow kBinding{"ValidatingAdmissionPolicyBinding", kBindingFields};
constexpr FieldRow kMutatingPolicyFields[] = {
    kKindRow,
    kApiVersionRow,
    kMetadataRow,
    {"spec", Struct, kPlainField, "@.MutatingAdmissionPolicySpec", &kMutatingSpec}};
constexpr StructRow kMutatingPolicy{"MutatingAdmissionPolicy", kMutatingPolicyFields};
constexpr FieldRow kMutatingBindingFields[] = {
    kKindRow,
    kApiVersionRow,
    kMetadataRow,
    {"spec", Struct, kPlainField, "@.MutatingAdmissionPolicyBindingSpec", &kMutatingBindingSpec}};
constexpr StructRow kMutatingBinding{"MutatingAdmissionPolicyBinding", kMutatingBindingFields};
constexpr FieldRow kValidatingConfigurationFields[] = {
    kKindRow,
    kApiVersionRow,
    kMetadataRow,
    {"webhooks", Structs, kOmitEmpty, "@.ValidatingWebhook", &kValidatingWebhook}};
constexpr StructRow kValidatingConfiguration{"ValidatingWebhookConfiguration",
                                             kValidatingConfigurationFields};
constexpr FieldRow kMutatingConfigurationFields[] = {
    kKindRow,
    kApiVersionRow,
    kMetadataRow,
    {"webhooks", Structs, kOmitEmpty, "@.MutatingWebhook", &kMutatingWebhook}};
constexpr StructRow kMutatingConfiguration{"MutatingWebhookConfiguration", kMutatingConfigurationFields};

constexpr FieldRow kNamespaceSpecFields[] = {{"finalizers", Strings, kOmitEmpty, "v1.FinalizerName"}};
constexpr StructRow kNamespaceSpec{"NamespaceSpec", kNamespaceSpecFields};
constexpr FieldRow kNamespaceConditionFields[] = {
    {"type", String, kPlainField, "v1.NamespaceConditionType"},
    {"status", String, kPlainField, "v1.ConditionStatus"},
    {"lastTransitionTime", Time, kPlainField, "v1.Time"},
    {"reason"},
    {"message"},
};
constexpr StructRow kNamespaceCondition{"NamespaceCondition", kNamespaceConditionFields};
constexpr FieldRow kNamespaceStatusFields[] = {
    {"phase", String, kOmitEmpty, "v1.NamespacePhase"},
    {"conditions", Structs, kOmitEmpty, "v1.NamespaceCondition", &kNamespaceCondition},
};
constexpr StructRow kNamespaceStatus{"NamespaceStatus", kNamespaceStatusFields};
constexpr FieldRow kNamespaceFields[] = {
    kKindRow,
    kApiVersionRow,
    kMetadataRow,
    {"spec", Struct, kPlainField, "v1.NamespaceSpec", &kNamespaceSpec},
    {"status", Struct, kPlainField, "v1.NamespaceStatus", &kNamespaceStatus}};

constexpr FieldRow kPreconditionsFields[] = {{"uid", String, kOptional, "types.UID"},
                                             {"resourceVersion", String, kOptional}};
constexpr StructRow kPreconditions{"Preconditions", kPreconditionsFields};
constexpr FieldRow kWriteOptionsFields[] = {
    kKindRow, kApiVersionRow, {"dryRun", Strings}, {"fieldManager"}, {"fieldValidation"}};
constexpr FieldRow kDeleteOptionsFields[] = {
    kKindRow,
    kApiVersionRow,
    {"gracePeriodSeconds", Int64, kOptional, "int64"},
    {"preconditions", Struct, kOptional, "v1.Preconditions", &kPreconditions},
    {"orphanDependents", Bool, kOptional, "bool"},
    {"propagationPolicy", String, kOptional, "v1.DeletionPropagation"},
    {"dryRun", Strings},
    {"ignoreStoreReadErrorWithClusterBreakingPotential", Bool, kOptional, "bool"},
};

constexpr ApiKind kKinds[] = {
    {"ValidatingAdmissionPolicy", "validatingadmissionpolicies", &kPolicy},
    {"ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings", &kBinding},
    {"MutatingAdmissionPolicy", "mutatingadmissionpolicies", &kMutatingPolicy},
    {"MutatingAdmissionPolicyBinding", "mutatingadmissionpolicybindings", &kMutatingBinding},
    {"ValidatingWebhookConfiguration", "validatingwebhookconfigurations", &kValidatingConfiguration, false},
    {"MutatingWebhookConfiguration", "mutatingwebhookconfigurations", &kMutatingConfiguration, false},
};

}  // namespace

const std::span<const ApiKind> api_kinds = kKinds;
const StructRow namespace_row{"Namespace", kNamespaceFields};
const StructRow object_meta_row{"ObjectMeta", kObjectMetaFields};
const StructRow label_selector_row = kLabelSelector;
const StructRow create_options_row{"CreateOptions", kWriteOptionsFields};
const StructRow update_options_row{"UpdateOptions", kWriteOptionsFields};
const StructRow delete_options_row{"DeleteOptions", kDeleteOptionsFields};

}  // namespace portcullis
