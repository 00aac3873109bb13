// The CustomResourceDefinitions among objects: they do with custom resources what the API server does before
// policies.
//
// Idea: the definition of its kind, if there is one, validates a request; params are turned into the form in
// which a server stores them. Tested by tests/cli.py, library/engine_test.cc.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "admission/builtin/decode.h"
#include "admission/crd/definition.h"
#include "admission/objects/request.h"
#include "manifests/object.h"

namespace portcullis {

// The path of a rule's report as documents are searched: properties[spec] is properties.spec, while
// names with dots stay in brackets.
std::string document_path(std::string_view path);

// Whether the status of `object`, which `definition` was made of, says that a server serves it already.
bool is_established(const Value& object, const crd::Definition& definition);

// A definition among objects.
struct GivenDefinition {
  const InputObject* object;
  std::shared_ptr<const crd::Definition> definition;
  // The reports on its rules, made on demand, since they compile every rule. Thread-safe.
  const std::vector<crd::RuleReport>& reports() const;
  // The first error for which a server refuses to create the definition; null if it accepts it.
  const crd::RuleReport* first_error() const;
  // That error as a text; empty if there is none.
  std::string refusal() const;
  // Fields that definitions do not have, or that occur twice, which the server drops: those that it reports, and those
  // that it does not (builtin::DecodeOptions::unseen).
  struct DroppedFields {
    std::vector<builtin::UnknownField> reported, unseen;
  };
  DroppedFields dropped_fields() const;

  // Whether a server serves the definition already, as its status says: it decodes, and its schemas can be used. An
  // older release may have accepted what today's refuses, and an update keeps what was accepted once.
  bool established = false;
  bool replaced = false;  // a later definition of the resource counts

  struct Reports {
    std::once_flag made;
    std::vector<crd::RuleReport> reports;
  };
  std::shared_ptr<Reports> known = std::make_shared<Reports>();
};

// The outcome of a custom resource.
struct DefinedOutcome : crd::ObjectOutcome {
  const GivenDefinition* by = nullptr;
  std::string version;  // of the definition, by which the object was sent
  // If the request is one of the subresource scale: that of the definition.
  const crd::Scale* scale = nullptr;

  // The refusal of an object with errors, and its Status (manifests/status.h). Both have the kind and the name of the
  // object, which mutations may have changed.
  std::string refusal() const;
  std::string refusal_status() const;
  // `object`, the result of the request, as the API server answers it: as it is read after it was written. Lists that
  // are nil in Go are null then, and a null that the schema does not allow is dropped or replaced by the default.
  Value answered(Arena& arena, const Value& object) const;
};

class Definitions {
 public:
  // Adds `object`, which must outlive this, if it is a CustomResourceDefinition. One that defines the same resource as
  // an earlier one replaces it, as a server takes it for an update.
  void add(const InputObject& object);
  const std::vector<GivenDefinition>& all() const { return all_; }

  // Prunes, defaults and validates the object of `request`, which then has the object as policies see it.
  // Returns nothing if no definition matches, or if an API server made the objects (AdmissionRequest::served): it has
  // done all this, perhaps by a newer definition. The old object of a Scale must be the custom resource that it scales;
  // without it, its definition is not asked. Policies then see two Scales. `managers`: the owners of fields in
  // metadata.managedFields; null: nobody sees them, and the object has none.
  std::optional<DefinedOutcome> review(AdmissionRequest& request, Arena& arena,
                                       const crd::FieldManagers* managers = nullptr) const;

  // The warning of a server for a request, of a kind that a definition has at a deprecated version, about which
  // review() has nothing to say; empty if there is none.
  std::string deprecation(const AdmissionRequest& request) const;

  // The two halves of review(): what mutating policies see, and the rest for the mutated object in the
  // request. The old object of a DELETE becomes what a server reads from its store; there is an outcome
  // only if it does not decode.
  std::optional<DefinedOutcome> decode(AdmissionRequest& request, Arena& arena,
                                       const crd::FieldManagers* managers = nullptr) const;
  // `trace`, which may be null, is told of rules that fail.
  static void complete(AdmissionRequest& request, DefinedOutcome& outcome, Arena& arena,
                       crd::RuleTrace* trace = nullptr);
  // What is left of `complete` for a custom resource that an API server made and mutations changed, since it depends
  // on no schema: the status is kept or dropped, and the namespace stays. Returns the error of another namespace
  // (keep_namespace() in namespaces.h). Does nothing if no definition matches.
  std::string_view complete_served(AdmissionRequest& request, Arena& arena) const;
  // The definitions that count, to be kept beyond this; what they were read from must be kept, too.
  std::vector<std::shared_ptr<const crd::Definition>> shared() const;

  // The form in which a server stores `object`, as policies see params: pruned and with defaults, in `arena`;
  // its status stays. The outcome has the errors of a create and the unknown fields. Returns nothing if no
  // definition matches, or if a server refuses the definition.
  std::optional<DefinedOutcome> stored(const InputObject& object, Arena& arena) const;
  // The first error for which a server refuses the definition of `object`'s kind; empty if there is none, or if the
  // definition is established.
  std::string refusal(const InputObject& object) const;
  // That definition; null if there is none.
  const GivenDefinition* refused(const InputObject& object) const { return find_refused(object, false); }
  // The definition of `object`'s kind if it is established although today's server would refuse to create it; else
  // null.
  const GivenDefinition* established(const InputObject& object) const { return find_refused(object, true); }

 private:
  std::optional<DefinedOutcome> read_deleted(AdmissionRequest& request, Arena& arena,
                                             const crd::FieldManagers* managers) const;
  // The first definition of `object`'s kind that a server refuses to create and that is, or is not, established.
  const GivenDefinition* find_refused(const InputObject& object, bool established) const;

  std::optional<DefinedOutcome> decode_scale(AdmissionRequest& request, Arena& arena) const;

  // The first one that has the version of the objects, which are custom resources as a whole; null if there is none.
  const GivenDefinition* find(const AdmissionRequest& request) const;
  // Those of a group and kind, in the order of `all_`.
  std::span<const size_t> of_kind(std::string_view group, std::string_view kind) const;

  std::vector<GivenDefinition> all_;
  std::map<std::pair<std::string_view, std::string_view>, std::vector<size_t>> by_kind_;  // those that count
  std::map<std::pair<std::string_view, std::string_view>, size_t> by_resource_;  // by group and plural
};

}  // namespace portcullis
