// AdmissionRequest: what a review is asked about, and who asks.
//
// Idea: views and values only; whoever makes a request owns what it refers to, until the review has ended.
// Source of behaviour: k8s.io/api admission/v1, apiserver pkg/admission (Attributes). Tested by
// admission/engine/engine_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "interpreter/values/value.h"

namespace portcullis {

struct GroupVersionKind {
  std::string_view group, version, kind;
  bool operator==(const GroupVersionKind&) const = default;
};
struct GroupVersionResource {
  std::string_view group, version, resource;
  bool operator==(const GroupVersionResource&) const = default;
};

enum class Operation : uint8_t { Create, Update, Delete, Connect };
// "CREATE" and so on; false if `text` is none of them.
bool parse_operation(std::string_view text, Operation& out);
std::string_view operation_name(Operation operation);

// Who asks. Views; the lists keep the order given.
struct UserInfo {
  struct Extra {
    std::string_view key;
    std::span<const std::string_view> values;
  };
  std::string_view username, uid;
  std::span<const std::string_view> groups;
  std::span<const Extra> extra;
};

// One admission request (the attributes of the API server). All views and values must outlive the review.
struct AdmissionRequest {
  Operation operation = Operation::Create;
  GroupVersionKind kind;
  GroupVersionResource resource;
  std::string_view subresource, name, namespace_name;
  Value object, old_object, options;  // null where there is none
  // The objects are of a built-in kind and normalised (builtin/normalize.h): other versions are then made by
  // its conversion, else by replacing apiVersion and kind, as for custom resources.
  bool typed = false;
  bool dry_run = false;
  UserInfo user;
};

}  // namespace portcullis
