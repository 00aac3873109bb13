#include "admission/builtin/surroundings.h"

#include <algorithm>
#include <iterator>

#include "admission/builtin/conversion.h"
#include "admission/builtin/normalize.h"
#include "interpreter/values/member.h"

namespace portcullis::builtin {
namespace {

struct WatchedKind {
  std::string_view group, kind;
  bool namespaced;
};
constexpr WatchedKind kWatched[] = {
    {"core", "LimitRange", true},           {"core", "ServiceAccount", true},
    {"scheduling", "PriorityClass", false}, {"storage", "StorageClass", false},
    {"node", "RuntimeClass", false},        {"networking", "IngressClass", false},
};

// Null if no plugin reads the kind.
const WatchedKind* watched_kind(const StructRow& row) {
  const WatchedKind* watched = std::ranges::find_if(kWatched, [&](const WatchedKind& w) {
    return w.kind == text_at(row.name) && text_at(row.path).starts_with("api/" + std::string(w.group) + "/");
  });
  return watched == std::end(kWatched) ? nullptr : watched;
}

}  // namespace

bool Surroundings::reads(const Value& object) {
  const StructRow* row = struct_of(object);
  return row != nullptr && watched_kind(*row) != nullptr;
}

void Surroundings::add(Arena& arena, const Value& object, std::string_view name_space) {
  const StructRow* row = struct_of(object);
  const WatchedKind* watched = row == nullptr ? nullptr : watched_kind(*row);
  if (watched == nullptr) return;
  Normalized made = normalize(arena, *row, object, {});
  if (!made.error.empty()) return;  // the command or library reports the error with the object itself
  Value metadata = member(made.object, "metadata");
  std::string_view own = text_member(metadata, "namespace");
  std::string_view of = !watched->namespaced ? std::string_view() : own.empty() ? name_space : own;
  objects_.insert_or_assign({watched->kind, of, text_member(metadata, "name")}, made.object);
}

std::ranges::subrange<Surroundings::Objects::const_iterator> Surroundings::all(
    std::string_view kind, std::string_view name_space) const {
  auto first = objects_.lower_bound({kind, name_space, {}}), last = first;
  while (last != objects_.end() && last->first.kind == kind && last->first.name_space == name_space) ++last;
  return {first, last};
}

Value Surroundings::find(std::string_view kind, std::string_view name_space, std::string_view name) const {
  auto found = objects_.find({kind, name_space, name});
  return found == objects_.end() ? Value::null() : found->second;
}

std::vector<Value> Surroundings::limit_ranges(std::string_view name_space) const {
  std::vector<Value> found;
  for (const auto& [key, object] : all("LimitRange", name_space)) found.push_back(object);
  return found;
}

Value Surroundings::service_account(std::string_view name_space, std::string_view name) const {
  return find("ServiceAccount", name_space, name);
}
Value Surroundings::priority_class(std::string_view name) const { return find("PriorityClass", {}, name); }
Value Surroundings::runtime_class(std::string_view name) const { return find("RuntimeClass", {}, name); }

Value Surroundings::default_priority_class() const {
  Value chosen;
  for (const auto& [key, object] : all("PriorityClass", {})) {
    if (!member(object, "globalDefault").is_true()) continue;
    if (chosen.is_null() || member(object, "value").as_int() < member(chosen, "value").as_int())
      chosen = object;
  }
  return chosen;
}

Value Surroundings::newest_default(std::string_view kind,
                                   std::initializer_list<std::string_view> annotations) const {
  Value chosen;
  std::string_view made;
  for (const auto& [key, object] : all(kind, {})) {
    Value metadata = member(object, "metadata"), held = member(metadata, "annotations");
    bool is_default = std::ranges::any_of(
        annotations, [&](std::string_view name) { return text_member(held, name) == "true"; });
    if (!is_default) continue;
    std::string_view time =
        text_member(metadata, "creationTimestamp");  // in UTC, so texts compare as times do
    if (chosen.is_null() || time > made) chosen = object, made = time;
  }
  return chosen;
}

Value Surroundings::default_storage_class() const {
  return newest_default("StorageClass", {"storageclass.kubernetes.io/is-default-class",
                                         "storageclass.beta.kubernetes.io/is-default-class"});
}
Value Surroundings::default_ingress_class() const {
  return newest_default("IngressClass", {"ingressclass.kubernetes.io/is-default-class"});
}

}  // namespace portcullis::builtin
