// The CustomResourceDefinitions among objects: what the API server does to custom resources before policies see them.
//
// Idea: a request is held against the definition of its kind, if there is one; params are what a server holds of them.
// Tested by tests/cli.py, library/engine_test.cc.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "admission/crd/object.h"
#include "admission/objects/request.h"
#include "manifests/object.h"

namespace portcullis {

// The path of a rule's report as documents are searched: properties[spec] is properties.spec.
std::string document_path(std::string_view path);

// A definition among objects.
struct GivenDefinition {
  const InputObject* object;
  std::shared_ptr<const crd::Definition> definition;  // null: cannot be read
  std::string error;                                  // then
  // What is said of the rules; made when it is first asked for, since every rule is compiled for it. Not for several
  // threads the first time.
  const std::vector<crd::RuleReport>& reports() const;
  // The first error for which a server refuses the definition; empty if there is none.
  std::string refusal() const;

  mutable std::optional<std::vector<crd::RuleReport>> known = std::nullopt;
};

// What became of a custom resource.
struct DefinedOutcome : crd::ObjectOutcome {  // whose warnings are here without those of unknown fields
  const GivenDefinition* by = nullptr;
};

class Definitions {
 public:
  // Takes `object`, which must outlive this, if it is a CustomResourceDefinition.
  void add(const InputObject& object);
  const std::vector<GivenDefinition>& all() const { return all_; }

  // Prunes the object of `request`, fills defaults in and validates it; the request then has the object as
  // policies see it. Nothing if there is no definition for it.
  // `managers`: whose fields metadata.managedFields says they are; null: it stays as it was given.
  std::optional<DefinedOutcome> review(AdmissionRequest& request, Arena& arena,
                                       const crd::FieldManagers* managers = nullptr) const;

  // The two halves of it: what mutating policies see, and what becomes of what they made of it, the request's object.
  std::optional<DefinedOutcome> decode(AdmissionRequest& request, Arena& arena,
                                       const crd::FieldManagers* managers = nullptr) const;
  static void complete(AdmissionRequest& request, DefinedOutcome& outcome, Arena& arena);
  // The definitions that can be read.
  std::vector<std::shared_ptr<const crd::Definition>> readable() const;

  // What a server holds of `object`, of which policies may ask as params: pruned and with defaults, in `arena`; its
  // status stays as it is. With what creating it would be refused for, and its unknown fields. Nothing if there is
  // no definition for it, or only one that a server refuses.
  std::optional<DefinedOutcome> stored(const InputObject& object, Arena& arena) const;
  // The first error for which a server refuses the definition of `object`'s kind; empty if there is none.
  std::string refusal(const InputObject& object) const;

 private:
  std::vector<GivenDefinition> all_;
};

}  // namespace portcullis
