#include "admission/builtin/surroundings.h"

#include <algorithm>
#include <iterator>

#include "admission/builtin/hub.h"
#include "admission/builtin/normalize.h"
#include "interpreter/member.h"

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

}  // namespace

void Surroundings::add(Arena& arena, const Value& object, std::string_view name_space) {
  const StructRow* row = struct_of(object);
  if (row == nullptr) return;
  const WatchedKind* watched = std::ranges::find_if(kWatched, [&](const WatchedKind& w) {
    return w.kind == text_at(row->name) &&
           text_at(row->path).starts_with("api/" + std::string(w.group) + "/");
  });
  if (watched == std::end(kWatched)) return;
  Normalized made = normalize(arena, *row, object, {});
  if (!made.error.empty()) return;  // which is said where the object itself is looked at
  Value metadata = member(made.object, "metadata");
  std::string_view own = text_member(metadata, "namespace");
  Item item{watched->kind,
            !watched->namespaced ? std::string_view()
            : own.empty()        ? name_space
                                 : own,
            text_member(metadata, "name"), made.object};
  std::erase_if(items_, [&](const Item& i) {
    return i.kind == item.kind && i.name_space == item.name_space && i.name == item.name;
  });
  items_.insert(std::ranges::upper_bound(items_, item.name, {}, &Item::name), item);
}

Value Surroundings::find(std::string_view kind, std::string_view name_space, std::string_view name) const {
  for (const Item& i : items_) {
    if (i.kind == kind && i.name_space == name_space && i.name == name) return i.object;
  }
  return Value::null();
}

std::vector<Value> Surroundings::limit_ranges(std::string_view name_space) const {
  std::vector<Value> found;
  for (const Item& i : items_) {
    if (i.kind == "LimitRange" && i.name_space == name_space) found.push_back(i.object);
  }
  return found;
}

Value Surroundings::service_account(std::string_view name_space, std::string_view name) const {
  return find("ServiceAccount", name_space, name);
}
Value Surroundings::priority_class(std::string_view name) const { return find("PriorityClass", {}, name); }
Value Surroundings::runtime_class(std::string_view name) const { return find("RuntimeClass", {}, name); }

Value Surroundings::default_priority_class() const {
  Value chosen;
  for (const Item& i : items_) {
    if (i.kind != "PriorityClass" || !member(i.object, "globalDefault").is_true()) continue;
    if (chosen.is_null() || member(i.object, "value").as_int() < member(chosen, "value").as_int())
      chosen = i.object;
  }
  return chosen;
}

Value Surroundings::newest_default(std::string_view kind,
                                   std::initializer_list<std::string_view> annotations) const {
  Value chosen;
  std::string_view made;
  for (const Item& i : items_) {
    Value metadata = member(i.object, "metadata"), held = member(metadata, "annotations");
    bool is_default = std::ranges::any_of(
        annotations, [&](std::string_view name) { return text_member(held, name) == "true"; });
    if (i.kind != kind || !is_default) continue;
    std::string_view time =
        text_member(metadata, "creationTimestamp");  // in UTC, so texts compare as times do
    if (chosen.is_null() || time > made) chosen = i.object, made = time;
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
