#include "admission/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "admission/instant.h"
#include "grammar/quote.h"
#include "interpreter/json.h"

namespace portcullis {
namespace {

using enum FieldKind;
constexpr uint8_t kOptional = kPointer | kOmitEmpty;

// --- the rows -----------------------------------------------------------------------------------------------------

constexpr FieldRow kOwnerReferenceFields[] = {
    {"apiVersion", String, kPlainField},
    {"kind", String, kPlainField},
    {"name", String, kPlainField},
    {"uid", String, kPlainField, "types.UID"},
    {"controller", Bool, kOptional, "bool"},
    {"blockOwnerDeletion", Bool, kOptional, "bool"},
};
constexpr StructRow kOwnerReference{"OwnerReference", kOwnerReferenceFields};

constexpr FieldRow kManagedFieldsFields[] = {
    {"manager"},
    {"operation", String, kOmitEmpty, "v1.ManagedFieldsOperationType"},
    {"apiVersion"},
    {"time", Time, kOptional, "v1.Time"},
    {"fieldsType"},
    {"fieldsV1", Raw, kOptional, "v1.FieldsV1"},
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

constexpr FieldRow kNamedExpressionFields[] = {{"name", String, kPlainField}, {"expression", String, kPlainField}};
constexpr StructRow kVariable{"Variable", kNamedExpressionFields};
constexpr StructRow kMatchCondition{"MatchCondition", kNamedExpressionFields};

constexpr FieldRow kAuditAnnotationFields[] = {{"key", String, kPlainField}, {"valueExpression", String, kPlainField}};
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

constexpr FieldRow kExpressionWarningFields[] = {{"fieldRef", String, kPlainField}, {"warning", String, kPlainField}};
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
    {"parameterNotFoundAction", String, kOptional, "@.ParameterNotFoundActionType", nullptr, {}, {{}, {}, "Deny"}},
};
constexpr StructRow kParamRef{"ParamRef", kParamRefFields};

constexpr FieldRow kBindingSpecFields[] = {
    {"policyName"},
    {"paramRef", Struct, kOptional, "@.ParamRef", &kParamRef},
    {"matchResources", Struct, kOptional, "@.MatchResources", &kMatchResources},
    {"validationActions", Strings, kOmitEmpty, "@.ValidationAction"},
};
constexpr StructRow kBindingSpec{"ValidatingAdmissionPolicyBindingSpec", kBindingSpecFields};
constexpr StructRow kMutatingBindingSpec{"MutatingAdmissionPolicyBindingSpec", std::span(kBindingSpecFields).first(3)};

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
#define PORTCULLIS_WEBHOOK_ROWS                                                                                     \
  {"name", String, kPlainField}, {"clientConfig", Struct, kPlainField, "@.WebhookClientConfig", &kClientConfig},    \
      {"rules", Structs, kOmitEmpty, "v1.RuleWithOperations", &kRule},                                              \
      {"failurePolicy", String, kOptional, "@.FailurePolicyType", nullptr, {}, {"Fail", "Ignore", {}}},             \
      {"matchPolicy", String, kOptional, "@.MatchPolicyType", nullptr, {}, {"Equivalent", "Exact", {}}},            \
      {"namespaceSelector", Struct, kOptional, "v1.LabelSelector", &kLabelSelector, {}, kSelectorDefault},          \
      {"objectSelector", Struct, kOptional, "v1.LabelSelector", &kLabelSelector, {}, kSelectorDefault},             \
      {"sideEffects", String, kPointer, "@.SideEffectClass", nullptr, {}, {{}, "Unknown", {}}},                     \
      {"timeoutSeconds", Int32, kOptional, "int32", nullptr, {}, {"10", "30", {}}},                                 \
      {"admissionReviewVersions", Strings, kPlainField, "string", nullptr, {}, {{}, "[v1beta1]", {}}}
constexpr FieldRow kValidatingWebhookFields[] = {
    PORTCULLIS_WEBHOOK_ROWS,
    {"matchConditions", Structs, kOmitEmpty, "@.MatchCondition", &kMatchCondition},
};
constexpr StructRow kValidatingWebhook{"ValidatingWebhook", kValidatingWebhookFields};
constexpr FieldRow kMutatingWebhookFields[] = {
    PORTCULLIS_WEBHOOK_ROWS,
    {"reinvocationPolicy", String, kOptional, "v1.ReinvocationPolicyType", nullptr, {}, {"Never", "Never", {}}},
    {"matchConditions", Structs, kOmitEmpty, "@.MatchCondition", &kMatchCondition},
};
constexpr StructRow kMutatingWebhook{"MutatingWebhook", kMutatingWebhookFields};
#undef PORTCULLIS_WEBHOOK_ROWS

constexpr FieldRow kKindRow{"kind", String, kOmitEmpty, "string", nullptr, "TypeMeta"};
constexpr FieldRow kApiVersionRow{"apiVersion", String, kOmitEmpty, "string", nullptr, "TypeMeta"};
constexpr FieldRow kMetadataRow{"metadata", Struct, kPlainField, "v1.ObjectMeta", &kObjectMeta};

constexpr FieldRow kPolicyFields[] = {
    kKindRow, kApiVersionRow, kMetadataRow,
    {"spec", Struct, kPlainField, "@.ValidatingAdmissionPolicySpec", &kPolicySpec},
    {"status", Struct, kPlainField, "@.ValidatingAdmissionPolicyStatus", &kPolicyStatus}};
constexpr StructRow kPolicy{"ValidatingAdmissionPolicy", kPolicyFields};
constexpr FieldRow kBindingFields[] = {
    kKindRow, kApiVersionRow, kMetadataRow,
    {"spec", Struct, kPlainField, "@.ValidatingAdmissionPolicyBindingSpec", &kBindingSpec}};
constexpr StructRow kBinding{"ValidatingAdmissionPolicyBinding", kBindingFields};
constexpr FieldRow kMutatingPolicyFields[] = {
    kKindRow, kApiVersionRow, kMetadataRow,
    {"spec", Struct, kPlainField, "@.MutatingAdmissionPolicySpec", &kMutatingSpec}};
constexpr StructRow kMutatingPolicy{"MutatingAdmissionPolicy", kMutatingPolicyFields};
constexpr FieldRow kMutatingBindingFields[] = {
    kKindRow, kApiVersionRow, kMetadataRow,
    {"spec", Struct, kPlainField, "@.MutatingAdmissionPolicyBindingSpec", &kMutatingBindingSpec}};
constexpr StructRow kMutatingBinding{"MutatingAdmissionPolicyBinding", kMutatingBindingFields};
constexpr FieldRow kValidatingConfigurationFields[] = {
    kKindRow, kApiVersionRow, kMetadataRow,
    {"webhooks", Structs, kOmitEmpty, "@.ValidatingWebhook", &kValidatingWebhook}};
constexpr StructRow kValidatingConfiguration{"ValidatingWebhookConfiguration", kValidatingConfigurationFields};
constexpr FieldRow kMutatingConfigurationFields[] = {
    kKindRow, kApiVersionRow, kMetadataRow,
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
    kKindRow, kApiVersionRow, kMetadataRow,
    {"spec", Struct, kPlainField, "v1.NamespaceSpec", &kNamespaceSpec},
    {"status", Struct, kPlainField, "v1.NamespaceStatus", &kNamespaceStatus}};

constexpr FieldRow kPreconditionsFields[] = {{"uid", String, kOptional, "types.UID"}, {"resourceVersion", String, kOptional}};
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

constexpr std::string_view kVersionNames[] = {"v1", "v1beta1", "v1alpha1"};

// --- data ---------------------------------------------------------------------------------------------------------

Data zero(const FieldRow& row);

// A struct all of whose fields are zero.
Data zero_struct(const StructRow& type) {
  Data d;
  d.type = &type;
  d.set = true;
  for (const FieldRow& row : type.fields) d.items.push_back(zero(row));
  return d;
}

Data zero(const FieldRow& row) {
  if (row.kind == Struct && !(row.flags & kPointer)) return zero_struct(*row.type);
  return {};
}

// --- decoding -----------------------------------------------------------------------------------------------------

class Decoder {
 public:
  explicit Decoder(ApiVersion version) : package_(kVersionNames[static_cast<int>(version)]) {}

  std::string error;                       // the first
  std::vector<std::string> strict_errors;

  void object(const Document& d, const StructRow& type, Data& out) {
    const auto outer = struct_;
    const size_t depth = fields_.size(), place = place_.size();
    uint64_t seen = 0;
    for (const auto& [key, member] : d.members) {
      size_t i = 0;
      while (i < type.fields.size() && type.fields[i].name != key) i++;
      if (i == type.fields.size()) {
        strict("unknown field", key);
        continue;
      }
      const FieldRow& row = type.fields[i];
      if (seen & (uint64_t{1} << i)) strict("duplicate field", key);
      seen |= uint64_t{1} << i;
      if (!row.embedded.empty()) fields_.emplace_back(row.embedded);
      fields_.emplace_back(row.name);
      struct_ = type.go_name;
      step(key);
      field(member, row, out.items[i]);
      fields_.resize(depth);
      struct_ = outer;
      place_.resize(place);
      if (fatal_) return;
    }
  }

 private:
  std::string go_type(const FieldRow& row) const {
    if (!row.go_type.starts_with('@')) return std::string(row.go_type);
    return std::string(package_).append(row.go_type.substr(1));
  }
  void step(std::string_view key) {
    if (!place_.empty()) place_ += '.';
    place_ += key;
  }
  void strict(std::string_view what, std::string_view key) {
    std::string path = place_.empty() ? std::string(key) : place_ + "." + std::string(key);
    std::string text = fmt::format("{} {}", what, quote(path));
    if (strict_errors.size() < kMaxStrictErrors && seen_.insert(text).second) strict_errors.push_back(std::move(text));
  }
  void fail(std::string text) {
    if (error.empty()) error = std::move(text);
  }
  // An unmarshaler of its own failed: reading stops at once, but an earlier error is forgotten.
  void abort(std::string text) {
    error = std::move(text);
    fatal_ = true;
  }
  std::string mismatch(std::string_view value, std::string_view type) const {
    return fmt::format("json: cannot unmarshal {} into Go struct field {}.{} of type {}", value, struct_,
                       fmt::join(fields_, "."), type);
  }
  // Says that what stands in the document cannot be a `type`.
  void wrong(const Document& d, std::string_view type) {
    static constexpr std::string_view kNames[] = {"null", "bool", "number", "string", "array", "object"};
    fail(mismatch(kNames[static_cast<int>(d.kind)], type));
  }

  void field(const Document& d, const FieldRow& row, Data& out) {
    if (d.is(Document::Kind::Null)) return null(row, out);
    switch (row.kind) {
      case String: return text(d, go_type(row), out);
      case Bool: return boolean(d, row, out);
      case Int32:
      case Int64: return integer(d, row, out);
      case Bytes: return bytes(d, out);
      case Time: return time(d, out);
      case Raw: out.set = true; out.text = sorted_json(d); return;
      case StringMap: return map(d, row, out);
      case Struct: return structure(d, row, out);
      case Strings:
      case Structs: return list(d, row, out);
    }
  }

  // Pointers, lists and maps become nil; whatever else stays as it was.
  static void null(const FieldRow& row, Data& out) {
    bool nils = (row.flags & kPointer) || row.kind == Strings || row.kind == Structs || row.kind == StringMap ||
                row.kind == Bytes || row.kind == Time;
    if (nils) out = Data{};
  }

  void text(const Document& d, std::string_view type, Data& out) {
    if (!d.is(Document::Kind::String)) return wrong(d, type);
    out.set = true;
    out.text = d.text;
  }
  void boolean(const Document& d, const FieldRow& row, Data& out) {
    if (!d.is(Document::Kind::Bool)) return wrong(d, row.go_type);
    out.set = true;
    out.flag = d.boolean;
  }
  void integer(const Document& d, const FieldRow& row, Data& out) {
    if (!d.is(Document::Kind::Number)) return wrong(d, row.go_type);
    int64_t n = 0;
    if (!parse(d.text, row.kind == Int32 ? INT32_MIN : INT64_MIN, row.kind == Int32 ? INT32_MAX : INT64_MAX, n)) {
      return fail(mismatch("number " + d.text, row.go_type));
    }
    out.set = true;
    out.number = n;
  }
  // strconv.ParseInt of a JSON number: no fraction, no exponent.
  static bool parse(const std::string& digits, int64_t low, int64_t high, int64_t& out) {
    if (digits.find_first_of(".eE") != std::string::npos || digits.size() > 20) return false;
    errno = 0;
    out = std::strtoll(digits.c_str(), nullptr, 10);
    return errno == 0 && out >= low && out <= high;
  }
  void bytes(const Document& d, Data& out);
  void time(const Document& d, Data& out) {
    if (!d.is(Document::Kind::String)) {
      static constexpr std::string_view kNames[] = {"null", "bool", "number", "string", "array", "object"};
      return abort(mismatch(kNames[static_cast<int>(d.kind)], "string"));
    }
    Instant at;
    std::string problem = parse_instant(d.text, at);
    if (!problem.empty()) return abort(problem);
    out.number = at.seconds;
    out.nanos = at.nanos;
    out.set = true;
  }
  static std::string sorted_json(const Document& d);
  void map(const Document& d, const FieldRow& row, Data& out) {
    if (!d.is(Document::Kind::Object)) return wrong(d, row.go_type);
    out.set = true;
    std::set<std::string_view> keys;
    for (const auto& [key, member] : d.members) {
      if (!keys.insert(key).second) strict("duplicate field", key);
      std::string& slot = out.map[key];
      slot.clear();
      if (member.is(Document::Kind::Null)) continue;
      if (!member.is(Document::Kind::String)) {
        wrong(member, "string");
      } else {
        slot = member.text;
      }
    }
  }
  void structure(const Document& d, const FieldRow& row, Data& out) {
    if (!d.is(Document::Kind::Object)) return wrong(d, go_type(row));
    if (!out.set) out = zero_struct(*row.type);
    object(d, *row.type, out);
  }
  void list(const Document& d, const FieldRow& row, Data& out) {
    if (!d.is(Document::Kind::List)) return wrong(d, "[]" + go_type(row));
    out.set = true;
    const size_t place = place_.size();
    // A list that is read a second time (a duplicate field) keeps what its elements held, as in Go.
    out.items.resize(d.items.size());
    for (size_t i = 0; i < d.items.size() && !fatal_; i++) {
      place_ += fmt::format("[{}]", i);
      element(d.items[i], row, out.items[i]);
      place_.resize(place);
    }
  }
  void element(const Document& d, const FieldRow& row, Data& out) {
    if (row.kind == Structs && out.type == nullptr) out = zero_struct(*row.type);
    if (d.is(Document::Kind::Null)) return;
    if (row.kind == Strings) return text(d, go_type(row), out);
    if (!d.is(Document::Kind::Object)) return wrong(d, go_type(row));
    object(d, *row.type, out);
  }

  std::string_view package_;
  std::string_view struct_;           // Go's name of the struct whose field is read
  std::vector<std::string> fields_;   // its field path, without indices
  std::string place_;                 // the path for strict errors, with indices
  std::set<std::string> seen_;
  bool fatal_ = false;
};

// base64.StdEncoding of Go skips line breaks and wants padding; the error names the byte.
std::string decode_base64(std::string_view text, std::string& out) {
  auto bad = [](size_t at) { return fmt::format("illegal base64 data at input byte {}", at); };
  auto digit = [](char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
  };
  size_t at = 0;
  auto skip = [&] { while (at < text.size() && (text[at] == '\n' || text[at] == '\r')) at++; };
  while (true) {
    uint32_t quantum = 0;
    int count = 0;
    for (; count < 4; count++) {
      skip();
      if (at == text.size()) {
        if (count == 0) return {};
        return bad(at - static_cast<size_t>(count));
      }
      char c = text[at];
      if (c == '=') break;
      int value = digit(c);
      if (value < 0) return bad(at);
      quantum = quantum << 6 | static_cast<uint32_t>(value);
      at++;
    }
    if (count == 4) {
      out += static_cast<char>(quantum >> 16);
      out += static_cast<char>(quantum >> 8);
      out += static_cast<char>(quantum);
      continue;
    }
    if (count < 2) return bad(at);
    at++;
    if (count == 2) {
      skip();
      if (at == text.size()) return bad(text.size());
      if (text[at] != '=') return bad(at);
      at++;
    }
    quantum <<= 6 * (4 - count);
    out += static_cast<char>(quantum >> 16);
    if (count == 3) out += static_cast<char>(quantum >> 8);
    skip();
    return at < text.size() ? bad(at) : std::string();
  }
}

std::string encode_base64(std::string_view bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    auto at = [&](size_t k) { return i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u; };
    uint32_t quantum = at(0) << 16 | at(1) << 8 | at(2);
    for (size_t k = 0; k < 4; k++) {
      out += i + k <= bytes.size() ? kDigits[quantum >> (18 - 6 * k) & 63] : '=';
    }
  }
  return out;
}

void Decoder::bytes(const Document& d, Data& out) {
  if (d.is(Document::Kind::String)) {
    out = Data{};
    out.set = true;
    std::string problem = decode_base64(d.text, out.text);
    if (!problem.empty()) fail(problem);
    return;
  }
  if (!d.is(Document::Kind::List)) return wrong(d, "[]uint8");
  out = Data{};
  out.set = true;
  for (const Document& item : d.items) {
    int64_t n = 0;
    if (item.is(Document::Kind::Null)) {
    } else if (!item.is(Document::Kind::Number)) {
      wrong(item, "uint8");
    } else if (!parse(item.text, 0, 255, n)) {
      fail(mismatch("number " + item.text, "uint8"));
    }
    out.text += static_cast<char>(n);
  }
}

std::string Decoder::sorted_json(const Document& d) {
  Arena arena;
  std::string_view raw = d.raw;
  if (auto value = read_json(raw, arena); value.ok()) return to_json(*value);
  return "{}";
}

// --- defaults -----------------------------------------------------------------------------------------------------

void apply_defaults(Data& data, ApiVersion version);

void apply_default(const FieldRow& row, Data& data, ApiVersion version) {
  const FieldDefault& f = row.fallback;
  std::string_view json = version == ApiVersion::V1 ? f.v1 : version == ApiVersion::V1beta1 ? f.v1beta1 : f.v1alpha1;
  if (!json.empty() && !data.set) {
    data.set = true;
    if (row.kind == Struct) data = zero_struct(*row.type);
    if (row.kind == Int32) data.number = std::stoi(std::string(json));
    if (row.kind == String) data.text = json;
  }
  // The one default of a list; also an empty list gets it.
  if (!json.empty() && row.kind == Strings && data.items.empty()) {
    data.set = true;
    data.items.resize(1);
    data.items[0].set = true;
    data.items[0].text = json.substr(1, json.size() - 2);
  }
  if (row.kind == Struct && data.set) apply_defaults(data, version);
  if (row.kind == Structs) {
    for (Data& item : data.items) apply_defaults(item, version);
  }
}

void apply_defaults(Data& data, ApiVersion version) {
  for (size_t i = 0; i < data.items.size(); i++) apply_default(data.type->fields[i], data.items[i], version);
}

// --- printing -----------------------------------------------------------------------------------------------------

bool omitted(const FieldRow& row, const Data& d) {
  if (row.flags & kOmitZero) return !d.set;
  if (!(row.flags & kOmitEmpty)) return false;
  if (row.flags & kPointer) return !d.set;
  switch (row.kind) {
    case String:
    case Bytes: return d.text.empty();
    case Bool: return !d.flag;
    case Int32:
    case Int64: return d.number == 0;
    case StringMap: return d.map.empty();
    case Strings:
    case Structs: return d.items.empty();
    default: return false;
  }
}

void print(std::string& out, const Data& d, bool sorted);

void print_list(std::string& out, const FieldRow& row, const Data& d, bool sorted) {
  out += '[';
  for (const Data& item : d.items) {
    if (&item != d.items.data()) out += ',';
    if (row.kind == Strings) {
      out += quote_json(item.text);
    } else {
      print(out, item, sorted);
    }
  }
  out += ']';
}

void print_map(std::string& out, const Data& d) {
  out += '{';
  for (const auto& [key, value] : d.map) {
    if (out.back() != '{') out += ',';
    out += quote_json(key) + ":" + quote_json(value);
  }
  out += '}';
}

void print_field(std::string& out, const FieldRow& row, const Data& d, bool sorted) {
  bool nil = !d.set && ((row.flags & kPointer) || row.kind == Time || row.kind == Bytes || row.kind == StringMap ||
                        row.kind == Strings || row.kind == Structs);
  if (nil) {
    out += "null";
    return;
  }
  switch (row.kind) {
    case String: out += quote_json(d.text); break;
    case Bool: out += d.flag ? "true" : "false"; break;
    case Int32:
    case Int64: out += fmt::format("{}", d.number); break;
    case Bytes: out += quote_json(encode_base64(d.text)); break;
    case Time: out += quote_json(format_instant({d.number, d.nanos})); break;
    case Raw: out += d.text; break;
    case StringMap: print_map(out, d); break;
    case Struct: print(out, d, sorted); break;
    case Strings:
    case Structs: print_list(out, row, d, sorted); break;
  }
}

void print(std::string& out, const Data& d, bool sorted) {
  std::vector<size_t> order;
  for (size_t i = 0; i < d.items.size(); i++) order.push_back(i);
  if (sorted) {
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return d.type->fields[a].name < d.type->fields[b].name; });
  }
  out += '{';
  for (size_t i : order) {
    const FieldRow& row = d.type->fields[i];
    if (omitted(row, d.items[i])) continue;
    if (out.back() != '{') out += ',';
    out += fmt::format("\"{}\":", row.name);
    print_field(out, row, d.items[i], sorted);
  }
  out += '}';
}

// --- which kind ---------------------------------------------------------------------------------------------------

bool same_fold(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return (x | 0x20) == (y | 0x20); });
}

constexpr std::string_view kScheme = "pkg/runtime/scheme.go:111";  // what Kubernetes calls its scheme in errors

// Reads apiVersion and kind as Kubernetes' meta factory does: names of fields in any case, the last one counts.
std::string read_type_meta(const Document& d, std::string& api_version, std::string& kind) {
  constexpr std::string_view kInto =
      R"(struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" })";
  static constexpr std::string_view kNames[] = {"null", "bool", "number", "string", "array", "object"};
  constexpr std::string_view kPrefix = "couldn't get version/kind; json parse error: ";
  if (d.is(Document::Kind::Null)) return {};
  auto name = [&](const Document& x) { return kNames[static_cast<int>(x.kind)]; };
  if (!d.is(Document::Kind::Object)) {
    return fmt::format("{}json: cannot unmarshal {} into Go value of type {}", kPrefix, name(d), kInto);
  }
  std::string error;
  for (const auto& [key, value] : d.members) {
    bool version = same_fold(key, "apiVersion");
    if (!version && !same_fold(key, "kind")) continue;
    if (value.is(Document::Kind::Null)) continue;
    if (value.is(Document::Kind::String)) {
      (version ? api_version : kind) = value.text;
    } else if (error.empty()) {
      error = fmt::format("{}json: cannot unmarshal {} into Go struct field .{} of type string", kPrefix, name(value),
                          version ? "apiVersion" : "kind");
    }
  }
  return error;
}

Decoded failed(std::string error) {
  Decoded out;
  out.error = std::move(error);
  return out;
}

// Kinds that every group has beside its own.
constexpr std::string_view kMetaKinds[] = {"WatchEvent", "ListOptions", "GetOptions", "DeleteOptions",
                                           "CreateOptions", "UpdateOptions", "PatchOptions"};

// What is said about an object that is of none of the six kinds.
Decoded unknown_kind(std::string_view kind, std::string_view api_version, bool our_version) {
  if (our_version && kind.ends_with("List")) {
    for (const ApiKind& k : kKinds) {
      if (kind.substr(0, kind.size() - 4) != k.kind) continue;
      Decoded out;
      out.unsupported = fmt::format("{}, Kind={} is not a kind that can be validated", api_version, kind);
      return out;
    }
  }
  if (our_version && std::find(std::begin(kMetaKinds), std::end(kMetaKinds), kind) != std::end(kMetaKinds)) {
    return failed(fmt::format("no kind \"{}\" is registered for the internal version of group \"{}\" in scheme \"{}\"", kind,
                              kRegistrationGroup, kScheme));
  }
  return failed(fmt::format("no kind {} is registered for version {} in scheme \"{}\"", quote(kind), quote(api_version), kScheme));
}

}  // namespace

const std::span<const ApiKind> api_kinds = kKinds;
const StructRow namespace_row{"Namespace", kNamespaceFields};
const StructRow create_options_row{"CreateOptions", kWriteOptionsFields};
const StructRow update_options_row{"UpdateOptions", kWriteOptionsFields};
const StructRow delete_options_row{"DeleteOptions", kDeleteOptionsFields};

const Data& Data::operator[](std::string_view field) const {
  static const Data kNone;
  if (type == nullptr) return kNone;
  for (size_t i = 0; i < type->fields.size(); i++) {
    if (type->fields[i].name == field) return items[i];
  }
  return kNone;
}

Data& Data::at(std::string_view field) { return const_cast<Data&>((*this)[field]); }

Decoded decode_object(const Document& object) {
  std::string api_version, kind;
  std::string error = read_type_meta(object, api_version, kind);
  if (!error.empty()) return failed(error);
  const size_t slash = api_version.find('/');
  if (slash != std::string::npos && api_version.find('/', slash + 1) != std::string::npos) {
    return failed("unexpected GroupVersion string: " + api_version);
  }
  std::string_view group = slash == std::string::npos ? "" : std::string_view(api_version).substr(0, slash);
  std::string_view version = slash == std::string::npos ? api_version : std::string_view(api_version).substr(slash + 1);
  if (kind.empty()) return failed(fmt::format("Object 'Kind' is missing in '{}'", object.raw));
  if (version.empty()) return failed(fmt::format("Object 'apiVersion' is missing in '{}'", object.raw));

  const ApiKind* found = nullptr;
  for (const ApiKind& k : kKinds) {
    if (k.kind == kind) found = &k;
  }
  int v = 0;
  while (v < 3 && kVersionNames[v] != version) v++;
  const bool ours = group == kRegistrationGroup && v < 3;
  if (!ours || found == nullptr || (v == 2 && !found->at_v1alpha1)) {
    return unknown_kind(kind, group.empty() ? version : std::string_view(api_version), ours);
  }
  Decoded out;
  out.kind = found;
  out.version = static_cast<ApiVersion>(v);
  out.data = zero_struct(*found->type);
  Decoder decoder(out.version);
  decoder.object(object, *found->type, out.data);
  out.error = std::move(decoder.error);
  out.strict_errors = std::move(decoder.strict_errors);
  apply_defaults(out.data, out.version);
  out.data.at("apiVersion").text = fmt::format("{}/v1", kRegistrationGroup);
  out.data.at("kind").text = kind;
  return out;
}

Data decode_struct(const Document& object, const StructRow& type, std::string& error) {
  Data data = zero_struct(type);
  Decoder decoder(ApiVersion::V1);
  if (object.is(Document::Kind::Object)) {
    decoder.object(object, type, data);
  } else if (!object.is(Document::Kind::Null)) {
    decoder.error = fmt::format("json: cannot unmarshal into Go value of type v1.{}", type.go_name);
  }
  error = std::move(decoder.error);
  return data;
}

void append_json(std::string& out, const Data& data) { print(out, data, true); }

std::string go_json(const Data& data) {
  std::string out;
  print(out, data, false);
  return out;
}

namespace {
bool equal(const Data& a, const Data& b, bool nil_is_empty) {
  bool list_like = a.items.size() + b.items.size() == 0 || a.type == nullptr;
  if (!(nil_is_empty && list_like && a.items.empty() && b.items.empty() && a.map.empty() && b.map.empty() &&
        a.text.empty() && b.text.empty() && a.type == nullptr && b.type == nullptr) &&
      a.set != b.set) {
    return false;
  }
  if (a.flag != b.flag || a.number != b.number || a.nanos != b.nanos || a.text != b.text || a.map != b.map ||
      a.items.size() != b.items.size()) {
    return false;
  }
  for (size_t i = 0; i < a.items.size(); i++) {
    if (!equal(a.items[i], b.items[i], nil_is_empty)) return false;
  }
  return true;
}
}  // namespace

bool semantic_equal(const Data& a, const Data& b) { return equal(a, b, true); }
bool deep_equal(const Data& a, const Data& b) { return equal(a, b, false); }

}  // namespace portcullis
