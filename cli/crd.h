// Custom resources among the files: what the API server does to them before policies see them, and what it
// says to their definitions. Tested by tests/cli.py.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "admission/builtin/decode.h"
#include "admission/crd/object.h"
#include "cli/cluster.h"
#include "cli/input.h"

namespace portcullis {

// What became of a custom resource.
struct CustomOutcome : crd::ObjectOutcome {  // whose warnings are here without those of unknown fields,
  std::vector<builtin::UnknownField>
      unfitting;  // for those are told as they are of all kinds (unknown_fields.h)
};

class CustomResources {
 public:
  // Takes the CustomResourceDefinitions among `objects`, which must outlive this.
  void add(const std::vector<InputObject>& objects);
  bool empty() const { return definitions_.empty(); }
  size_t count() const { return definitions_.size(); }

  // Prunes the object of `request`, fills defaults in and validates it; the request then has the object as
  // policies see it. Nothing if there is no definition for it.
  // `managers`: whose fields metadata.managedFields says they are; null: it stays as it was given.
  std::optional<CustomOutcome> review(AdmissionRequest& request, Arena& arena,
                                      const crd::FieldManagers* managers = nullptr) const;

  // What a server holds of `object`, of which policies may ask as params: pruned and with defaults, in `arena`; its
  // status stays as it is. With what creating it would be refused for, and its unknown fields. Nothing if there is
  // no definition for it, or only one that a server refuses.
  std::optional<CustomOutcome> stored(const InputObject& object, Arena& arena) const;
  // The first error for which a server refuses the definition of `object`'s kind; empty if there is none.
  std::string refusal(const InputObject& object) const;

  // What the API server refuses in the definitions.
  std::vector<PolicyProblem> problems() const;
  // Of these the definitions that cannot be read at all: no object is held against them.
  std::vector<PolicyProblem> unreadable() const;
  // The cost of every rule: a table for people, and a list for -o json.
  std::string cost_table() const;
  std::string costs_json() const;

 private:
  struct Entry {
    const InputObject* object;
    std::shared_ptr<const crd::Definition> definition;  // null: cannot be read
    std::string error;
    // What is said of the rules; made when it is first asked for, since every rule is compiled for it.
    const std::vector<crd::RuleReport>& reports() const;
    mutable std::optional<std::vector<crd::RuleReport>> known = std::nullopt;
  };
  std::vector<Entry> definitions_;
};

}  // namespace portcullis
