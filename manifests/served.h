// Subresources, and what is not created, updated and deleted as other resources are.
//
// Idea: the body of a subresource is often of another kind than its parent (an Eviction is created at
// pods/eviction), so a manifest alone does not tell which resource it goes to, and policies name the parent.
// A table made of Kubernetes' own resource list says what each takes; subresources of custom resources are in
// their definitions (resources.h, which joins both). Tested by manifests/resources_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "admission/admission.h"

namespace portcullis {

// A set of operations: the sum of the bits of its members.
constexpr uint8_t operation_bit(Operation o) { return static_cast<uint8_t>(1 << static_cast<int>(o)); }
inline constexpr uint8_t kCreate = operation_bit(Operation::Create),
                         kUpdate = operation_bit(Operation::Update),
                         kDelete = operation_bit(Operation::Delete),
                         kConnect = operation_bit(Operation::Connect), kWritten = kCreate | kUpdate | kDelete;
// "CREATE and UPDATE"; "nothing" of none.
std::string operation_names(uint8_t operations);

// One resource or subresource at one version.
struct Served {
  std::string_view group, version, resource, subresource;
  std::string_view kind;  // of the resource
  // What is sent there.
  std::string_view body_group, body_version, body_kind;
  bool namespaced = true;
  uint8_t operations = kWritten;
  bool built_in = true;
};
// "pods/exec", "deployments.apps/scale" with `qualified`.
std::string name_of(const Served& served, bool qualified = false);

// A row of the table: a built-in resource that takes other operations, or a subresource.
struct ServedRow {
  std::string_view group, resource, subresource;
  std::string_view versions;                             // separated by spaces
  std::string_view body_group, body_version, body_kind;  // version empty: that of the resource
  uint8_t operations;
};
std::span<const ServedRow> served_rows();

}  // namespace portcullis
