// Subresources, and resources that do not support create, update and delete alike.
//
// Idea: the body of a subresource often has another kind than its parent (an Eviction is created at
// pods/eviction), so a manifest alone does not determine its resource, and policies name the parent. A table
// made from Kubernetes' own resource list says which body each subresource takes. Subresources of custom
// resources are in their definitions (resources.h joins both). Tested by manifests/resources_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "admission/admission.h"

namespace portcullis {

// Sets of operations (operation_bit).
inline constexpr uint8_t kCreate = operation_bit(Operation::Create),
                         kUpdate = operation_bit(Operation::Update),
                         kDelete = operation_bit(Operation::Delete),
                         kConnect = operation_bit(Operation::Connect), kWritten = kCreate | kUpdate | kDelete;
// "CREATE and UPDATE"; "nothing" for the empty set.
std::string operation_names(uint8_t operations);

// One resource or subresource at one version.
struct Served {
  std::string_view group, version, resource, subresource;
  std::string_view kind;  // of the resource
  // The kind of the request's body.
  std::string_view body_group, body_version, body_kind;
  bool namespaced = true;
  uint8_t operations = kWritten;
  bool built_in = true;
};
// "pods/exec"; "deployments.apps/scale" if `qualified`.
std::string name_of(const Served& served, bool qualified = false);

// A row of the table: a subresource, or a built-in resource with other operations.
struct ServedRow {
  std::string_view group, resource, subresource;
  std::string_view versions;                             // separated by spaces
  std::string_view body_group, body_version, body_kind;  // empty version: that of the resource
  uint8_t operations;
};
std::span<const ServedRow> served_rows();

}  // namespace portcullis
