// Custom resources among the files: what the API server does with them before policies, and its errors of
// their definitions. Tested by tests/cli.py.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "admission/builtin/decode.h"
#include "cli/cluster/cluster.h"
#include "cli/reading/input.h"
#include "manifests/definitions.h"

namespace portcullis {

// The outcome of a custom resource.
struct CustomOutcome : DefinedOutcome {
  std::vector<builtin::UnknownField>
      unfitting;  // `unknown`, as it is reported for all kinds (unknown_fields.h)

  bool refused() const { return !decode_error.empty() || !errors.empty(); }
  // Why the definition refuses `object`: each error with its place in the file.
  struct Error {
    std::string path, text, hint;
    std::optional<size_t> rule = {};    // of a rule that failed: its number in `rules`
    std::string rule_path = {};         // its path in the definition
    const FieldError* error = nullptr;  // null if the object does not decode
  };
  std::vector<Error> errors_of(const InputObject& object) const;
  void say_errors(const InputObject& object) const;
};

// What the API server says of a CustomResourceDefinition that a request writes.
struct WrittenDefinition {
  std::vector<PolicyProblem> refused;  // its errors; empty: it takes the definition
  std::string status;  // of the refusal: JSON of a metav1.Status; empty if the server is not asked
  std::vector<PolicyProblem> warnings;
  bool established = false;  // its status says that a cluster has it already
};

class CustomResources {
 public:
  // Adds the CustomResourceDefinitions among `objects`, which must outlive this.
  void add(const std::vector<InputObject>& objects);
  // Adds those that count in the cluster; its objects must outlive this.
  void add(const ReviewCluster& cluster);
  bool empty() const { return definitions_.all().empty(); }
  size_t count() const { return definitions_.all().size(); }
  const auto& given() const { return definitions_.all(); }
  std::vector<std::shared_ptr<const crd::Definition>> all() const { return definitions_.shared(); }

  // See Definitions (manifests/definitions.h).
  std::optional<CustomOutcome> review(AdmissionRequest& request, Arena& arena,
                                      const crd::FieldManagers* managers = nullptr) const;
  std::optional<CustomOutcome> decode(AdmissionRequest& request, Arena& arena,
                                      const crd::FieldManagers* managers = nullptr) const;
  std::string deprecation(const AdmissionRequest& request) const { return definitions_.deprecation(request); }
  std::string_view complete_served(AdmissionRequest& request, Arena& arena) const {
    return definitions_.complete_served(request, arena);
  }
  std::optional<CustomOutcome> stored(const InputObject& object, Arena& arena) const;
  // Why `object` is refused for the definition of its kind, and what helps; nothing if it is not.
  struct Refused {
    std::string text, hint;
  };
  std::optional<Refused> refused(const InputObject& object) const;
  const GivenDefinition* established(const InputObject& object) const {
    return definitions_.established(object);
  }

  // What the API server says of the definition that `request` writes, if it writes one; `object` is its manifest.
  // `mutated`: policies or webhooks have changed it.
  static WrittenDefinition written(const AdmissionRequest& request, const InputObject& object, bool mutated);

  // The API server's errors of the definitions, and its warnings.
  std::vector<PolicyProblem> problems() const;

 private:
  Definitions definitions_;
};

}  // namespace portcullis
