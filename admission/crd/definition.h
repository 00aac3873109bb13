// Custom resources as the API server handles them: the front door for CustomResourceDefinitions and their
// objects.
//
// Idea: a Definition is read and compiled once, immutable and shared. review() does what the API server does
// with an object before policies see it: it drops unknown fields, sets defaults, and validates structure and
// rules, with ratcheting on updates. check() validates the definition's rules and computes their costs.
// Files in reading order: schema.h (schemas), decl_type.h (their types), typed.h (values with a schema),
// rules.h (x-kubernetes-validations), correlation.h (old and new), structure.h (checks without CEL),
// formats.h, defaults.h, metadata.h, merging.h (managedFields), schema_validation.h, rule_costs.h,
// definition.h. The sources of Definition: definition.cc reads it, objects.cc has what it does with objects, report.cc
// what is wrong with itself. Source of behaviour: apiextensions-apiserver pkg/registry/customresource,
// pkg/apis/apiextensions/validation. Limits: no conversion by webhook.
// Tested by admission/crd/definition_test.cc, tests/custom_resources.cc.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "admission/crd/merging.h"
#include "admission/crd/rules.h"
#include "admission/crd/scale.h"
#include "admission/crd/schema.h"
#include "admission/objects/field_error.h"

namespace portcullis::crd {

// What a request writes: an update of the subresource status changes nothing else but managedFields.
enum class Written : uint8_t { Resource, Status };

// The detail of the error that stands for the rules, which do not run on an object with other errors.
inline constexpr std::string_view kNotChecked =
    "some validation rules were not checked because the object was invalid; correct the existing errors to "
    "complete validation";

struct ObjectOutcome {
  Value object, old;                  // pruned and with defaults, in the arena; null if absent
  std::string decode_error;           // if not empty, the object does not decode, and the rest is empty
  std::string decode_error_path;      // of the field; empty if it is one of the old object
  std::vector<FieldError> errors;     // empty: the object is accepted
  std::vector<FailedRule> rules;      // of the last errors, the rules that failed; an empty path: none
  std::vector<std::string> warnings;  // duplicate owners, and errors of unchanged values
  std::vector<std::string>
      unknown;  // the paths of the fields that were dropped, of each the API server warns, too
};

// An error or warning of a definition, or the cost of a rule. `path` is a path in the definition.
struct RuleReport {
  std::string path;
  std::string rule;              // if not empty, the report is about the cost of this expression, no error
  std::string error;             // if not empty, the API server refuses the definition
  uint64_t cost = 0;             // the largest static cost of one evaluation
  double whole_cost = 0;         // `cost` times the largest number of evaluations
  bool costly = false;           // the error is that of a cost over its limit
  bool compiles = true;          // the expression, which otherwise has no cost
  std::string server_path = {};  // `path` as the API server tells it; empty: it tells none
  std::string warning = {};      // if not empty, the report is a warning of the API server, no error
  std::string type = {};         // of the error (FieldError); empty: its text tells

  // The error with its path, as the API server tells it.
  std::string message() const { return server_path.empty() ? error : server_path + ": " + error; }
};

class Definition {
 public:
  // Reads a CustomResourceDefinition (apiextensions.k8s.io/v1) as the server decodes it; one that does not decode as it
  // stands, and check() tells why. `object` must outlive the result. `environment`: that in which its rules run; its
  // memo must outlive the result, too.
  static std::shared_ptr<const Definition> read(const Value& object,
                                                const RuleEnvironment& environment = stored_rules());
  ~Definition();

  // The warning of a server that `version` is deprecated; empty if it is not.
  std::string deprecation(std::string_view version) const;

  std::string group, kind, plural;
  bool namespaced = true;
  bool by_webhook = false;  // whether a webhook converts objects between its versions

  // Why a schema is refused (it cannot be read, or is not structural); empty if all are accepted.
  std::string schema_error() const;
  // Whether this version has a schema that validates objects.
  bool has_version(std::string_view version) const;

  // The API server's handling of `object` at `version`; it replaces `old` unless that is null. If `managers`
  // is given, metadata.managedFields is computed, too. An `old` without a uid counts as newly created, at its own
  // version; a server converts it.
  ObjectOutcome review(std::string_view version, const Value& object, const Value* old, Arena& arena,
                       Context& context, const FieldManagers* managers = nullptr,
                       Written written = Written::Resource) const;

  // The parts of review(). `decode` prunes, sets defaults and managedFields. Then mutating policies change `object` of
  // the outcome, which must have no decode error. `complete` fills in what the server decides, and `validate` finds the
  // errors. `trace` may be null; its numbers are those of the outcome's rules.
  ObjectOutcome decode(std::string_view version, const Value& object, const Value* old, Arena& arena,
                       const FieldManagers* managers = nullptr, Written written = Written::Resource) const;
  void complete(std::string_view version, ObjectOutcome& outcome, Arena& arena,
                Written written = Written::Resource) const;
  void validate(std::string_view version, ObjectOutcome& outcome, Arena& arena, Context& context,
                Written written = Written::Resource, RuleTrace* trace = nullptr) const;

  // `object` with what its write cannot change as it is in `old` (null: it is created): the status, if that is a
  // subresource, or all but the status and managedFields.
  Value with_kept_parts(Arena& arena, std::string_view version, const Value& object, const Value* old,
                        Written written) const;

  // The subresource scale of a version; null if there is none.
  const Scale* scale(std::string_view version) const;
  // Whether this version is served.
  bool serves(std::string_view version) const;
  // The type by which apply configurations merge; that of free data if the schema is not structural. Null if
  // there is no such version.
  const ownership::MergeType* merge_type(std::string_view version) const;
  // `object` with the defaults of the schema of `version`, if there is one.
  Value with_defaults(Arena& arena, std::string_view version, const Value& object) const;
  // `object` as it is read from storage: with defaults, and without nulls that the schema does not allow.
  Value read_back(Arena& arena, std::string_view version, const Value& object) const;

  // Whether it decodes as a CustomResourceDefinition of apiextensions.k8s.io/v1.
  bool decodes() const { return decodes_; }
  // Whether each version has a structural schema.
  bool has_schemas() const;
  // The structural schemas of the versions, with their paths in the definition.
  std::vector<std::pair<std::string, SchemaPtr>> schemas() const;

  // The rules of all versions, with their paths in the definition. They live as long as this.
  std::vector<PlacedRule> rules() const;

  // Reports all errors and warnings of the definition, and the cost of every rule of every version. A schema that all
  // versions share is reported once; to the API server its path is spec.validation.openAPIV3Schema.
  std::vector<RuleReport> check() const { return report(nullptr); }
  // The same for an update of `old`, of which some must stay, and whose own errors are taken in part.
  std::vector<RuleReport> check_update(const Definition& old) const;

 private:
  struct Version;
  class Versions;
  Definition();
  void check_resource(const Version& version, const ObjectOutcome& out, bool of_status, Arena& arena,
                      FieldErrors& common, FieldErrors& errors) const;
  Value manage(const Version& version, const Value& object, const Value* old, Arena& arena,
               const FieldManagers& managers, Written written) const;
  const Version* find(std::string_view version) const;
  Value from_storage(Arena& arena, const Version& own, const Value& object) const;
  Value stored_old(Arena& arena, const Version& own, const Value& old) const;
  bool is_shared() const;
  std::vector<RuleReport> report(const Definition* old) const;
  void read_data(const Value& object);
  void read_version(const Value& given, const RuleEnvironment& environment);
  Arena arena_;  // of data_
  Value data_;   // as decoded; as given if it does not decode
  bool decodes_ = false;
  uint32_t server_ = KubernetesVersion::kLast;
  RuleMemo* memo_ = nullptr;
  std::optional<RuleReport> decode_error_;  // none for another version than v1
  std::vector<Version> versions_;
};

// Appends the errors of a definition that decodes, but not those of its schemas (spec_report.cc). `old`: the one that
// it replaces; null: it is created.
void report_spec(const Value& definition, const Value* old, std::vector<RuleReport>& out);
// Appends the reports on one schema, which is at `path` in the definition (rule_report.cc). `memo` may be null.
void report_schema(const SchemaPtr& schema, const std::string& path, std::vector<RuleReport>& out,
                   RuleMemo* memo);
// The same for a schema with keywords that no structural schema may have: reports these, and the errors that
// remain without them.
void report_refused(const Schema& schema, const std::string& path, std::vector<RuleReport>& out);
// Appends the API server's warnings about the schema at `path` (warning_report.cc).
void report_warnings(const SchemaPtr& schema, const std::string& path, std::vector<RuleReport>& out);
// Makes the reports on `definition` those on an update of `old`, whose own are `before` (update_report.cc).
void report_update(const Value& definition, const Value& old, std::span<const RuleReport> before,
                   std::vector<RuleReport>& out);

}  // namespace portcullis::crd
