#include "admission/builtin/plugins.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "admission/builtin/access.h"
#include "admission/builtin/conversion.h"
#include "admission/builtin/surroundings.h"
#include "interpreter/values/changed.h"
#include "interpreter/values/json.h"
#include "interpreter/values/member.h"

namespace portcullis::builtin {
namespace {

std::span<const MapEntry> entries_of(const Value& map) {
  return map.is(Kind::Map) ? map.as_map() : std::span<const MapEntry>();
}

bool is_annotated(Object& o, std::string_view name) {
  const Value* annotations = find(o, "metadata.annotations");
  return annotations != nullptr && annotations->is(Kind::Map) &&
         find_key(*annotations, Value::string(name)) != nullptr;
}

// Decodes plain data that is known to be valid into an Object.
Value object_of(Arena& arena, std::string_view struct_path, const Value& data) {
  return Value::opaque(decode(arena, *find_struct(struct_path), data, {}).object);
}

// --- LimitRanger ---

// The requests or limits of a container, to which LimitRanges add defaults.
class ResourceList {
 public:
  explicit ResourceList(Value& slot) : slot_(slot) {
    for (const MapEntry& e : entries_of(slot)) add(e);
    given_ = entries_.size();
  }
  // Adds the missing defaults. Returns their names, sorted and joined; empty if none.
  std::string add_missing(const std::map<std::string_view, Value>& defaults) {
    std::string joined;
    for (const auto& [name, value] : defaults) {
      if (!names_.contains(name)) joined += (joined.empty() ? "" : ", ") + std::string(name);
      add({Value::string(name), value});
    }
    return joined;
  }
  void store(Arena& arena) {
    if (entries_.size() == given_) return;
    MapEntry* made = alloc_entries(arena, entries_.size());
    std::ranges::copy(entries_, made);
    slot_ = make_map(made, entries_.size());
  }

 private:
  void add(const MapEntry& e) {
    if (names_.insert(e.key.as_text()).second) entries_.push_back(e);
  }
  Value& slot_;
  std::vector<MapEntry> entries_;
  std::unordered_set<std::string_view> names_;
  size_t given_;
};

struct LimitedContainer {
  std::string_view what, name;
  ResourceList requests, limits;
};

// Applies one range to the containers. Returns the text for the annotation; empty if nothing changed.
std::string limit_by(const Value& range, std::vector<LimitedContainer>& containers) {
  std::map<std::string_view, Value> requests, limits;
  // A later item of the same range wins.
  auto put = [](std::map<std::string_view, Value>& into, const Value& list) {
    for (const MapEntry& e : entries_of(list)) into.insert_or_assign(e.key.as_text(), e.value);
  };
  const Value items = member(member(range, "spec"), "limits");
  for (const Value& item : list_items(items)) {
    if (Value type = member(item, "type"); !type.is(Kind::String) || type.as_text() != "Container") continue;
    put(requests, member(item, "defaultRequest"));
    put(limits, member(item, "default"));
  }
  std::string said;
  for (LimitedContainer& c : containers) {
    auto say = [&](const std::string& names, std::string_view kind) {
      if (names.empty()) return;
      said += (said.empty() ? "" : "; ") + names + std::string(kind) + std::string(c.what) + " " +
              std::string(c.name);
    };
    say(c.requests.add_missing(requests), " request for ");
    say(c.limits.add_missing(limits), " limit for ");
  }
  return said;
}

// --- ServiceAccount ---

constexpr std::string_view kTokenPath = "/var/run/secrets/kubernetes.io/serviceaccount";
// The name of the volume ends in five random characters, here "zzzzz".
constexpr std::string_view kTokenVolume =
    R"json({"name":"kube-api-access-zzzzz","projected":{"defaultMode":420,"sources":[
      {"serviceAccountToken":{"path":"token","expirationSeconds":3607}},
      {"configMap":{"name":"kube-root-ca.crt","items":[{"key":"ca.crt","path":"ca.crt"}]}},
      {"downwardAPI":{"items":[{"path":"namespace","fieldRef":{"apiVersion":"v1","fieldPath":"metadata.namespace"}}]}}]}})json";
constexpr std::string_view kTokenVolumePrefix = "kube-api-access-";

void mount_token(Arena& arena, Object& pod) {
  std::string_view name;
  each_item(pod, "spec.volumes", [&](Object& volume) {
    if (name.empty() && text(volume, "name").starts_with(kTokenVolumePrefix)) name = text(volume, "name");
  });
  bool held = !name.empty(), needed = false;
  if (!held) name = "kube-api-access-zzzzz";
  auto mount = [&](Object& container) {
    bool mounted = false;
    each_item(container, "volumeMounts",
              [&](Object& m) { mounted = mounted || text(m, "mountPath") == kTokenPath; });
    if (mounted) return;
    Object* made = make_object(arena, *find_struct("api/core/v1.VolumeMount"));
    set(*made, "name", Value::string(name));
    set(*made, "readOnly", Value::boolean(true));
    set(*made, "mountPath", Value::string(kTokenPath));
    Value& mounts = *find(container, "volumeMounts");
    mounts = appended(arena, mounts, Value::opaque(made));
    needed = true;
  };
  each_item(pod, "spec.initContainers", mount);
  each_item(pod, "spec.containers", mount);
  if (held || !needed) return;
  Value& volumes = *find(pod, "spec.volumes");
  volumes = appended(arena, volumes, object_of(arena, "api/core/v1.Volume", *read_json(kTokenVolume, arena)));
}

// --- RuntimeClass ---

bool same_toleration(Object& a, Object& b) {
  const Value &x = *find(a, "tolerationSeconds"), &y = *find(b, "tolerationSeconds");
  bool same_seconds = is_absent(x) == is_absent(y) && (is_absent(x) || x.as_int() == y.as_int());
  return same_seconds &&
         std::ranges::all_of(std::initializer_list<std::string_view>{"key", "operator", "value", "effect"},
                             [&](std::string_view field) { return text(a, field) == text(b, field); });
}

// Whether `wide` tolerates everything that `narrow` tolerates.
bool tolerates(Object& wide, Object& narrow) {
  if (same_toleration(wide, narrow)) return true;
  std::string_view key = text(wide, "key"), effect = text(wide, "effect"), relation = text(wide, "operator");
  if (text(narrow, "key") != key && (!key.empty() || relation != "Exists")) return false;
  if (text(narrow, "effect") != effect && !effect.empty()) return false;
  const Value &limit = *find(wide, "tolerationSeconds"), &asked = *find(narrow, "tolerationSeconds");
  if (effect == "NoExecute" && !is_absent(limit) && (is_absent(asked) || asked.as_int() > limit.as_int()))
    return false;
  if (relation == "Exists") return true;
  return (relation.empty() || relation == "Equal") && text(narrow, "operator") == "Equal" &&
         text(narrow, "value") == text(wide, "value");
}

// The tolerations that no other one covers; the first of equal ones.
std::vector<Value> merged(const std::vector<Value>& all) {
  std::vector<Value> kept;
  for (size_t i = 0; i < all.size(); ++i) {
    Object& t = as_object(all[i]);
    bool covered = std::ranges::any_of(kept, [&](const Value& k) { return tolerates(as_object(k), t); });
    for (size_t j = i + 1; j < all.size() && !covered; ++j)
      covered = !same_toleration(as_object(all[j]), t) && tolerates(as_object(all[j]), t);
    if (!covered) kept.push_back(all[i]);
  }
  return kept;
}

void schedule_by(Arena& arena, Object& pod, const Value& scheduling) {
  Value& selector = *find(pod, "spec.nodeSelector");
  const Value wanted = member(scheduling, "nodeSelector"), more = member(scheduling, "tolerations");
  for (const MapEntry& e : entries_of(wanted)) {
    selector =
        with_member(arena, selector.is(Kind::Map) ? selector : Value::null(), e.key.as_text(), e.value);
  }
  std::vector<Value> all = values_of(pod, "spec.tolerations");
  for (const Value& t : list_items(more)) all.push_back(object_of(arena, "api/core/v1.Toleration", t));
  if (!all.empty()) set(pod, "spec.tolerations", list_of(arena, merged(all)));
}

}  // namespace

void limit_resources(const Filling& with, Object& pod) {
  if (with.around == nullptr) return;
  std::vector<Value> ranges = with.around->limit_ranges(with.name_space);
  if (ranges.empty()) return;
  std::vector<LimitedContainer> containers;
  auto collect = [&](std::string_view list, std::string_view what) {
    each_item(pod, list, [&](Object& container) {
      Object& resources = *child(container, "resources");
      containers.push_back({what, text(container, "name"), ResourceList(*find(resources, "requests")),
                            ResourceList(*find(resources, "limits"))});
    });
  };
  collect("spec.containers", "container");
  collect("spec.initContainers", "init container");
  std::string said;  // for the annotation: the last range that changed anything
  for (const Value& range : ranges) {
    if (std::string now = limit_by(range, containers); !now.empty()) said = std::move(now);
  }
  if (said.empty()) return;
  for (LimitedContainer& c : containers) {
    c.requests.store(with.arena);
    c.limits.store(with.arena);
  }
  Value& annotations = *find(pod, "metadata.annotations");
  annotations = with_member(with.arena, annotations.is(Kind::Map) ? annotations : Value::null(),
                            "kubernetes.io/limit-ranger",
                            Value::string(with.arena.copy("LimitRanger plugin set: " + said)));
}

void give_service_account(const Filling& with, Object& pod) {
  if (with.around == nullptr || is_annotated(pod, "kubernetes.io/config.mirror")) return;
  std::string_view name = text(pod, "spec.serviceAccountName");
  if (name.empty()) name = "default";
  Value account = with.around->service_account(with.name_space, name);
  if (account.is_null()) return;
  for (std::string_view path : {"spec.serviceAccountName", "spec.serviceAccount"})
    set(pod, path, Value::string(name));
  const Value& wish = *find(pod, "spec.automountServiceAccountToken");
  const Value said = member(account, "automountServiceAccountToken");
  bool mounts = is_absent(wish) ? !said.is_false() : wish.is_true();
  if (mounts) mount_token(with.arena, pod);
  const Value secrets = member(account, "imagePullSecrets");
  if (count(pod, "spec.imagePullSecrets") != 0 || list_items(secrets).empty()) return;
  std::vector<Value> made;
  for (const Value& secret : list_items(secrets))
    made.push_back(object_of(with.arena, "api/core/v1.LocalObjectReference", secret));
  set(pod, "spec.imagePullSecrets", list_of(with.arena, made));
}

void run_by_class(const Filling& with, Object& pod) {
  const Value* name = with.around == nullptr ? nullptr : find(pod, "spec.runtimeClassName");
  if (name == nullptr || !name->is(Kind::String)) return;
  Value found = with.around->runtime_class(name->as_text());
  if (Value fixed = member(member(found, "overhead"), "podFixed"); fixed.is(Kind::Map))
    set(pod, "spec.overhead", fixed);
  if (Value scheduling = member(found, "scheduling"); scheduling.is(Kind::Map))
    schedule_by(with.arena, pod, scheduling);
}

void choose_storage_class(const Filling& with, Object& claim) {
  if (with.around == nullptr || has(claim, "spec.storageClassName") ||
      is_annotated(claim, "volume.beta.kubernetes.io/storage-class"))
    return;
  Value found = with.around->default_storage_class();
  if (!found.is_null()) set(claim, "spec.storageClassName", member(member(found, "metadata"), "name"));
}

void choose_ingress_class(const Filling& with, Object& ingress) {
  if (with.around == nullptr || has(ingress, "spec.ingressClassName") ||
      is_annotated(ingress, "kubernetes.io/ingress.class"))
    return;
  Value found = with.around->default_ingress_class();
  if (!found.is_null()) set(ingress, "spec.ingressClassName", member(member(found, "metadata"), "name"));
}

}  // namespace portcullis::builtin
