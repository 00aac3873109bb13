// See survey.h.
#include "cli/session/survey.h"

#include "admission/authorization/rbac.h"
#include "admission/builtin/surroundings.h"
#include "admission/scalars/group_version.h"
#include "cli/cluster/cluster.h"

namespace portcullis {
namespace {

// What messages tell apart: of a recorded request its kind, and whether it is in a namespace.
std::string sort_of(const InputObject& o) {
  auto sort = [](std::string_view version, std::string_view kind, bool inside) {
    return std::string(version).append("\n").append(kind).append(inside ? "\n+" : "\n-");
  };
  const std::string own = sort(o.api_version, o.kind, !o.namespace_name.empty());
  if (role_of(o) != Role::Review) return own;
  const Value* kind = find_path(o.value, "request.kind");
  if (kind == nullptr) return own;
  const Value* space = find_path(o.value, "request.namespace");
  const bool inside = space != nullptr && space->is(portcullis::Kind::String) && !space->as_text().empty();
  return own + "\n" + sort(text_member(*kind, "group"), text_member(*kind, "kind"), inside);
}

}  // namespace

bool Survey::learn(std::span<const InputObject> policies) {
  bool late = false;
  for (const InputObject& p : policies) {
    const Value* kind = role_of(p) == Role::Policy ? param_kind(p) : nullptr;
    if (kind == nullptr) continue;
    const std::string_view version = text_member(*kind, "apiVersion");
    const Kind named(split_api_version(version).group, text_member(*kind, "kind"));
    if (params_.insert(named).second) late |= seen_.contains(named);
  }
  return late;
}

bool Survey::wants(const InputObject& o) const {
  const Role role = role_of(o);
  if (role == Role::Review) return false;
  return role != Role::Other || is_astray(o) || RbacAuthorizer::is_rbac(o.value) ||
         builtin::Surroundings::reads(o.value) ||
         (!params_.empty() && params_.contains({std::string(o.group()), std::string(o.kind)}));
}

bool Survey::see(const InputObject& o) {
  counts_.add(o);
  std::string sort = sort_of(o);
  if (last_.starts_with(sort) && std::string_view(last_).substr(sort.size()) == o.namespace_name)
    return false;
  last_ = sort + std::string(o.namespace_name);
  if (!o.namespace_name.empty() && !namespaces_.contains(o.namespace_name))
    namespaces_.emplace(o.namespace_name);
  if (!sorts_.insert(std::move(sort)).second) return false;
  seen_.emplace(o.group(), o.kind);
  return true;
}

}  // namespace portcullis
