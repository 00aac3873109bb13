// Custom resources as the API server takes them: the front door for
// CustomResourceDefinitions and their objects.
//
// Idea: a Definition is read and compiled once, immutable and shared; review() does what the API server
// does to an object before any policy sees it: unknown fields dropped, defaults filled in, structure and
// rules checked, with ratcheting on updates. check() says what is wrong with the definition's own rules
// and what they cost.
// Files in reading order: schema.h (schemas), decl_type.h (their types), typed.h (values under a schema),
// rules.h (x-kubernetes-validations), correlation.h (old and new), structure.h (checks without CEL),
// formats.h, defaults.h, metadata.h, object.h.
// Source of behaviour: apiextensions-apiserver pkg/registry/customresource,
// pkg/apis/apiextensions/validation. Limits: no conversion between versions; of subresources,
// only status is known.
// Tested by admission/crd/object_test.cc, tests/custom_resources.cc.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "admission/crd/merging.h"
#include "admission/crd/rules.h"
#include "admission/crd/schema.h"
#include "admission/objects/field_error.h"

namespace portcullis::crd {

struct ObjectOutcome {
  Value object, old;                  // pruned and with defaults, in the arena; null where there is none
  std::string decode_error;           // not empty: the object does not decode, and nothing else is said of it
  std::vector<FieldError> errors;     // none: the object is accepted
  std::vector<std::string> warnings;  // unknown fields, and errors of what did not change
  std::vector<std::string> unknown;   // paths of the fields that the first of them are about
};

// What is wrong with a definition, or what a rule costs. `path` is a place in the definition.
struct RuleReport {
  std::string path;
  std::string rule;       // not empty: this tells the cost of a rule; no error
  std::string error;      // not empty: the API server refuses the definition
  uint64_t cost = 0;      // largest static cost of one evaluation
  double whole_cost = 0;  // times how often it can be evaluated
  std::string advice;     // which bounds would bring the cost under the budget
};

class Definition {
 public:
  // Reads a CustomResourceDefinition (apiextensions.k8s.io/v1). `object` must outlive the result.
  static Result<std::shared_ptr<const Definition>> read(const Value& object);
  ~Definition();

  std::string group, kind, plural;
  bool namespaced = true;

  // Why a schema is refused (it cannot be read, or is not structural); empty if none is.
  std::string schema_error() const;
  // Does this version have a schema that objects are held against?
  bool has_version(std::string_view version) const;

  // What the API server makes of `object` of `version`; `old` (may be null) is what it replaces. With
  // `managers`, metadata.managedFields is what it makes of it, too; an `old` without a uid is taken to be
  // newly created then.
  // `of_status`: an update of the subresource status, which changes nothing else; its managedFields stay as they
  // were.
  ObjectOutcome review(std::string_view version, const Value& object, const Value* old, Arena& arena,
                       Context& context, const FieldManagers* managers = nullptr,
                       bool of_status = false) const;

  // The two halves of it, between which mutating policies change `object` of the outcome: what a server decodes
  // (pruned, with defaults and managedFields), and what it then fills in and refuses. `update`: the outcome has an
  // `old`. `complete` is for an outcome without a decode error.
  ObjectOutcome decode(std::string_view version, const Value& object, const Value* old, Arena& arena,
                       const FieldManagers* managers = nullptr, bool of_status = false) const;
  void complete(std::string_view version, bool update, ObjectOutcome& outcome, Arena& arena, Context& context,
                bool of_status = false) const;

  // Is this version served?
  bool serves(std::string_view version) const;
  // By which configurations that are applied to its objects merge: free data without a structural schema. Null: no
  // such version.
  const ownership::MergeType* merge_type(std::string_view version) const;
  // `object` of `version` with the defaults of its schema, if there is one.
  Value with_defaults(Arena& arena, std::string_view version, const Value& object) const;

  // Every rule of every version with its cost, and schemas that are not structural.
  std::vector<RuleReport> check() const;

 private:
  struct Version;
  class Versions;
  Definition();
  Value manage(const Version& version, const Value& object, const Value* old, Arena& arena,
               const FieldManagers& managers) const;
  const Version* find(std::string_view version) const;
  std::vector<Version> versions_;
};

// Adds reports on one schema, which stands at `path` in the definition (rule_report.cc).
void report_schema(const SchemaPtr& schema, const std::string& path, std::vector<RuleReport>& out);
// The same of a schema with keywords that no structural schema has: these, and what is wrong without them.
void report_refused(const Schema& schema, const std::string& path, std::vector<RuleReport>& out);

}  // namespace portcullis::crd
