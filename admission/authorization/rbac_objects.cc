// Roles and bindings: see rbac_objects.h.
#include "admission/authorization/rbac_objects.h"

#include <algorithm>
#include <tuple>

#include "admission/scalars/group_version.h"
#include "interpreter/values/member.h"

namespace portcullis::rbac {
namespace {

const Value* member(const Value* map, std::string_view name) {
  return map != nullptr ? find_member(*map, name) : nullptr;
}

std::string text(const Value* map, std::string_view name) {
  return map != nullptr ? std::string(text_member(*map, name)) : std::string();
}

std::span<const Value> list(const Value* map, std::string_view name) {
  return map != nullptr ? list_member(*map, name) : std::span<const Value>();
}

Texts texts(const Value* map, std::string_view name) {
  Texts out;
  for (const Value& v : list(map, name)) {
    if (v.is(Kind::String)) out.emplace_back(v.as_text());
  }
  return out;
}

Labels labels(const Value* map, std::string_view name) {
  Labels out;
  const Value* v = member(map, name);
  if (!v || !v->is(Kind::Map)) return out;
  for (const MapEntry& e : v->as_map()) {
    if (e.key.is(Kind::String) && e.value.is(Kind::String))
      out[std::string(e.key.as_text())] = e.value.as_text();
  }
  return out;
}

Rule read_rule(const Value& v) {
  return {texts(&v, "verbs"), texts(&v, "apiGroups"), texts(&v, "resources"), texts(&v, "resourceNames"),
          texts(&v, "nonResourceURLs")};
}

Selector read_selector(const Value& v) {
  Selector selector;
  for (const auto& [key, value] : labels(&v, "matchLabels")) selector.push_back({key, "In", {value}});
  for (const Value& e : list(&v, "matchExpressions")) {
    selector.push_back({text(&e, "key"), text(&e, "operator"), texts(&e, "values")});
  }
  return selector;
}

// The namespace of an object; empty for cluster-scoped kinds, even if their metadata has one.
std::string space_of(const Value& object, std::string_view fallback) {
  if (text(&object, "kind").starts_with("Cluster")) return {};
  std::string space = text(member(&object, "metadata"), "namespace");
  return space.empty() ? std::string(fallback) : space;
}

Role read_role(const Value& object, std::string_view space) {
  const Value* metadata = member(&object, "metadata");
  Role role = {space_of(object, space), text(metadata, "name")};
  role.labels = labels(metadata, "labels");
  for (const Value& v : list(&object, "rules")) role.rules.push_back(read_rule(v));
  for (const Value& v : list(member(&object, "aggregationRule"), "clusterRoleSelectors")) {
    role.aggregates.push_back(read_selector(v));
  }
  return role;
}

bool selects(const Selector& selector, const Labels& labels) {
  return std::all_of(selector.begin(), selector.end(), [&](const Requirement& r) {
    auto label = labels.find(r.key);
    bool present = label != labels.end();
    bool listed = present && std::find(r.values.begin(), r.values.end(), label->second) != r.values.end();
    if (r.op == "In") return listed;
    if (r.op == "NotIn") return !listed;
    if (r.op == "Exists") return present;
    return r.op == "DoesNotExist" && !present;
  });
}

// See Objects::sources_.
std::vector<std::vector<size_t>> find_sources(const std::vector<Role>& roles) {
  std::vector<std::vector<size_t>> sources(roles.size());
  for (size_t i = 0; i < roles.size(); i++) {
    for (const Selector& selector : roles[i].aggregates) {
      for (size_t k = 0; k < roles.size(); k++) {
        if (k != i && roles[k].space.empty() && selects(selector, roles[k].labels)) sources[i].push_back(k);
      }
    }
  }
  return sources;
}

template <class T>
auto name_of(const T& object) {
  return std::tuple<std::string_view, std::string_view>(object.space, object.name);
}

// Sorts by name. Of several objects with one name the last one stays, and before it the standard one, as replaced.
template <class T>
void sort_by_name(std::vector<T>& objects) {
  std::ranges::stable_sort(objects, {}, name_of<T>);
  auto same = [](const T& a, const T& b) { return name_of(a) == name_of(b) && !b.standard; };
  auto kept = std::unique(objects.rbegin(), objects.rend(), same).base();
  objects.erase(objects.begin(), kept);
  for (size_t i = 0; i + 1 < objects.size(); i++)
    objects[i].replaced = name_of(objects[i]) == name_of(objects[i + 1]);
}

}  // namespace

bool is_object(const Value& object) {
  std::string version = text(&object, "apiVersion"), kind = text(&object, "kind");
  if (split_api_version(version).group != kGroup) return false;
  return kind == "Role" || kind == "ClusterRole" || kind == "RoleBinding" || kind == "ClusterRoleBinding";
}

Binding read_binding(const Value& object, std::string_view space) {
  const Value* role = member(&object, "roleRef");
  Binding binding = {space_of(object, space), text(member(&object, "metadata"), "name")};
  binding.role_kind = text(role, "kind");
  binding.role_name = text(role, "name");
  for (const Value& s : list(&object, "subjects")) {
    binding.subjects.push_back({text(&s, "kind"), text(&s, "name"), text(&s, "namespace")});
  }
  return binding;
}

Name object_name(const Value& object, std::string_view space, Arena& arena) {
  if (!is_object(object)) return {};
  return {text(&object, "kind").ends_with("Binding") ? Name::Of::Binding : Name::Of::Role,
          arena.copy(space_of(object, space)), arena.copy(text(member(&object, "metadata"), "name"))};
}

void Objects::add(const Value& object, std::string_view space) {
  if (!is_object(object)) return;
  if (text(&object, "kind").ends_with("Binding")) {
    add(read_binding(object, space));
  } else {
    Role role = read_role(object, space);
    if (as_stored_) role.aggregates.clear();
    add(std::move(role));
  }
}

void Objects::settle() {
  sort_by_name(roles_);
  sort_by_name(bindings_);
  sources_ = find_sources(roles_);
  for (Binding& binding : bindings_) link(binding);
}

bool Objects::exists(const Role& role, const Name& absent) const {
  return absent.kind == Name::Of::Role && name_of(role) == name_of(absent) ? role.standard : !role.replaced;
}

bool Objects::exists(const Binding& binding, const Name& absent) const {
  return absent.kind == Name::Of::Binding && name_of(binding) == name_of(absent) ? binding.standard
                                                                                 : !binding.replaced;
}

void Objects::link(Binding& binding) const {
  const bool of_cluster = binding.role_kind == "ClusterRole";
  binding.role_begin = binding.role_end = 0;
  if (!of_cluster && (binding.role_kind != "Role" || binding.space.empty())) return;
  std::tuple<std::string_view, std::string_view> want(of_cluster ? std::string_view() : binding.space,
                                                      binding.role_name);
  const auto found = std::ranges::equal_range(roles_, want, {}, name_of<Role>);
  binding.role_begin = static_cast<size_t>(found.begin() - roles_.begin());
  binding.role_end = binding.role_begin + found.size();
}

const Role* Objects::role_of(const Binding& binding, const Name& absent) const {
  for (size_t i = binding.role_begin; i < binding.role_end; i++) {
    if (exists(roles_[i], absent)) return &roles_[i];
  }
  return nullptr;
}

}  // namespace portcullis::rbac
