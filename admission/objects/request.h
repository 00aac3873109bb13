// AdmissionRequest: one request that policies decide, and its user.
//
// Idea: it holds views and values only. The caller owns what they refer to until the review ends.
// Source of behaviour: k8s.io/api admission/v1, apiserver pkg/admission (Attributes). Tested by
// admission/engine/engine_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "interpreter/values/value.h"

namespace portcullis::builtin {
struct DecodeOptions;
}

namespace portcullis {

// The label with its name that every namespace has.
inline constexpr std::string_view kNamespaceNameLabel = "kubernetes.io/metadata.name";

struct GroupVersionKind {
  std::string_view group, version, kind;
  bool operator==(const GroupVersionKind&) const = default;
};
struct GroupVersionResource {
  std::string_view group, version, resource;
  bool operator==(const GroupVersionResource&) const = default;
};

// Subresources that a version of a custom resource lacks: no request for them is equivalent to one at this version.
struct LackingSubresources {
  bool status = false, scale = false;
  bool contains(std::string_view name) const {
    return (status && name == "status") || (scale && name == "scale");
  }
};

enum class Operation : uint8_t { Create, Update, Delete, Connect };
inline constexpr Operation kAllOperations[] = {Operation::Create, Operation::Update, Operation::Delete,
                                               Operation::Connect};
// A set of operations is the sum of their bits.
constexpr uint8_t operation_bit(Operation o) { return static_cast<uint8_t>(1 << static_cast<int>(o)); }
// Parses "CREATE" and so on; false if `text` is no operation.
bool parse_operation(std::string_view text, Operation& out);
std::string_view operation_name(Operation operation);
// The message for a text that is no operation: which ones there are.
std::string unknown_operation(std::string_view text);

// The user of a request. Holds views; the lists keep their order.
struct UserInfo {
  struct Extra {
    std::string_view key;
    std::span<const std::string_view> values;
  };
  std::string_view username, uid;
  std::span<const std::string_view> groups;
  std::span<const Extra> extra;
};

// kubernetes-admin of system:masters, who may do everything: the user of kubectl in a new cluster.
UserInfo administrator();
// system:anonymous: the user of a request without credentials.
UserInfo anonymous();

// One admission request (admission.Attributes of the API server). All views and values must outlive the
// review.
struct AdmissionRequest {
  // What the objects are an instance of, where they were converted for a webhook, to a version that its rules name.
  struct Sent {
    GroupVersionKind kind;
    GroupVersionResource resource;
  };

  Operation operation = Operation::Create;
  GroupVersionKind kind;
  GroupVersionResource resource;
  std::optional<Sent> sent = {};  // if set, the objects are not of `kind`, or sent as another resource
  std::string_view subresource, name, namespace_name;
  Value object, old_object, options;  // null if absent
  // Whether the objects are of a built-in kind and normalised (builtin/normalize.h). If so,
  // builtin/conversion.h makes their other versions; else a conversion only replaces apiVersion and kind, as
  // for custom resources.
  bool typed = false;
  bool dry_run = false;
  // Whether an API server made the objects, as those of an AdmissionReview: no definition changes or refuses them.
  bool served = false;
  UserInfo user;
  // How admission plugins look at a new object of a built-in kind again once mutation has changed it
  // (builtin/normalize.h, admit_again); null: they do not.
  const builtin::DecodeOptions* plugins = nullptr;

  const GroupVersionKind& kind_of_objects() const { return sent ? sent->kind : kind; }
};

}  // namespace portcullis
