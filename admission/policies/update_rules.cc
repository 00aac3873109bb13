#include "admission/policies/update_rules.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "admission/builtin/encode.h"
#include "admission/builtin/registry.h"
#include "admission/scalars/quantity.h"
#include "interpreter/formats/netip.h"
#include "interpreter/values/json.h"

namespace portcullis::updates {
namespace {

using builtin::Object;

// --- texts ---

// Whether the value may be an empty list or map, which is not told from null.
bool is_vague(const Data& value) {
  return !value.set && value.field != nullptr && value.field->shape != builtin::kOne;
}
// Whether Go prints the value as null.
bool is_null(const Data& value) {
  if (value.set || is_vague(value)) return false;
  return value.field == nullptr || (value.field->flags & builtin::kPointer) != 0 ||
         value.field->scalar == builtin::kTime || value.field->scalar == builtin::kMicroTime;
}

// Go's JSON of an encoded value: structs in their own order, maps by key.
void append_json(const Value& v, std::string& out) {
  if (v.is(Kind::List)) {
    const char* before = "[";
    for (const Value& item : v.as_list()) append_json(item, out.append(std::exchange(before, ",")));
    out += v.size() == 0 ? "[]" : "]";
    return;
  }
  if (!v.is(Kind::Map)) {
    out += to_json(v, JsonEscape::Go);
    return;
  }
  std::vector<const MapEntry*> entries;
  for (const MapEntry& e : v.as_map()) entries.push_back(&e);
  if ((v.flags() & kGoMap) != 0)
    std::ranges::sort(entries, {}, [](const MapEntry* e) { return e->key.as_text(); });
  const char* before = "{";
  for (const MapEntry* e : entries) {
    out.append(std::exchange(before, ",")).append(to_json(e->key, JsonEscape::Go)).append(":");
    append_json(e->value, out);
  }
  out += entries.empty() ? "{}" : "}";
}

std::string json_of(Update& u, const Data& value) {
  if (!value.set) {
    if (is_null(value)) return "null";
    if (value.field->scalar == builtin::kBoolean) return "false";
    return value.field->scalar == builtin::kInt32 || value.field->scalar == builtin::kInt64 ? "0" : "\"\"";
  }
  std::string out;
  append_json(value.is_struct() ? builtin::encode(u.arena, builtin::as_object(value.value)) : value.value,
              out);
  return out;
}

std::string_view entry_text(Object& o, std::string_view path, std::string_view key) {
  return builtin::access::text(entry(o, path, key));
}

// The member that tells the items of a list apart; empty: none does, or the list is no matter of these rules.
std::string_view key_of_items(std::string_view list) {
  if (list == "containers" || list == "initContainers" || list == "volumes" || list == "env") return "name";
  return list == "volumeMounts" ? "mountPath" : "";
}

}  // namespace

Data at(Object& o, std::string_view path) {
  const builtin::FieldSlot place = builtin::locate(o, path);
  return place.object == nullptr ? Data() : Data(*place.slot(), &place.field());
}
bool same_at(Update& u, std::string_view path) { return semantic_equal(at(u.now, path), at(u.old, path)); }

void take(Object& to, Object& from, std::string_view path) {
  if (const Value* held = builtin::find(from, path)) builtin::set(to, path, *held);
}
void take_if_absent(Object& to, Object& from, std::string_view path) {
  if (!builtin::has(to, path)) take(to, from, path);
}
void clear(Object& o, std::string_view path) { builtin::set(o, path, builtin::absent()); }

const Value* entry(Object& o, std::string_view path, std::string_view key) {
  const Value* map = builtin::find(o, path);
  return map != nullptr && map->is(Kind::Map) ? find_key(*map, Value::string(key)) : nullptr;
}

void keep_left_out(Arena& arena, Object& now, Object& old) {
  const auto fields = builtin::fields_of(*now.row);
  for (size_t i = 0; i < fields.size(); i++) {
    const std::string_view name = builtin::text_at(fields[i].name), key = key_of_items(name);
    if (builtin::is_absent(now.slots[i])) {
      now.slots[i] = old.slots[i];
    } else if (fields[i].shape == builtin::kMap) {
      const Value* held = builtin::find(old, name);
      if (!held->is(Kind::Map)) continue;
      for (const MapEntry& e : held->as_map()) {
        if (e.value.is(Kind::String) && entry(now, name, e.key.as_text()) == nullptr)
          builtin::set_entry(arena, now, name, e.key.as_text(), e.value.as_text());
      }
    } else if (fields[i].scalar != builtin::kStruct) {
      continue;
    } else if (fields[i].shape == builtin::kOne) {
      Object *inner = builtin::child(now, name), *held = builtin::child(old, name);
      if (inner != nullptr && held != nullptr) keep_left_out(arena, *inner, *held);
    } else if (!key.empty()) {
      const std::vector<Value> sent = builtin::values_of(now, name), held = builtin::values_of(old, name);
      const auto same_as = [&](const Value& item) {
        return [&](const Value& v) {
          return builtin::text(builtin::as_object(v), key) == builtin::text(builtin::as_object(item), key);
        };
      };
      std::vector<Value> items;
      for (const Value& item : held) {
        const auto found = std::ranges::find_if(sent, same_as(item));
        if (found != sent.end()) keep_left_out(arena, builtin::as_object(*found), builtin::as_object(item));
        items.push_back(found == sent.end() ? item : *found);
      }
      if (sent.size() >= held.size()) continue;  // nothing is left out, or something takes its place
      std::ranges::copy_if(sent, std::back_inserter(items),
                           [&](const Value& item) { return std::ranges::none_of(held, same_as(item)); });
      builtin::set(now, name, builtin::list_of(arena, items));
    }
  }
}

void keep_spec(Update& u) {
  Object *now = builtin::child(u.now, "spec"), *old = builtin::child(u.old, "spec");
  if (now == nullptr || old == nullptr) return;
  if (u.written.now) keep_left_out(u.arena, *now, *old);
  if (u.written.old && !u.written.now) keep_left_out(u.arena, *old, *now);
}

void refuse(Update& u, std::string_view path, Shown shown, std::string_view said, std::string_view detail) {
  const Data value = at(u.now, path);
  if (shown == Shown::Json && is_vague(value)) shown = Shown::Hidden;
  switch (shown) {
    case Shown::Forbidden: u.errors.forbidden(std::string(said), detail); break;
    case Shown::Text: u.errors.invalid(std::string(said), value.text, detail); break;
    case Shown::Json: u.errors.invalid_json(std::string(said), json_of(u, value), detail); break;
    case Shown::Hidden:
      if (!is_null(value)) {
        u.errors.invalid_hidden(std::string(said), detail);
        break;
      }
      [[fallthrough]];
    case Shown::Nothing: u.errors.invalid_json(std::string(said), "null", detail); break;
  }
  u.errors.list.back().field = path;
}

// --- rules of single kinds ---

// The one internal struct that is shown: most updates of a binding that are refused are about it.
void check_role(Update& u) {
  if (same_at(u, "roleRef")) return;
  const Data role = at(u.now, "roleRef");
  std::string json = "{\"APIGroup\":" + quote_json(role.field_text("apiGroup"), JsonEscape::Go);
  json += ",\"Kind\":" + quote_json(role.field_text("kind"), JsonEscape::Go);
  json += ",\"Name\":" + quote_json(role.field_text("name"), JsonEscape::Go) + "}";
  u.errors.invalid_json("roleRef", json, kFixed);
}

void check_scopes(Update& u) {
  const auto scopes = [](Object& o) {
    std::set<std::string_view> out;
    for (const Value& v : builtin::values_of(o, "spec.scopes")) out.insert(builtin::access::text(&v));
    return out;
  };
  if (scopes(u.now) != scopes(u.old)) refuse(u, "spec.scopes", Shown::Json);
}

void check_node(Update& u) {
  constexpr std::string_view kRanges = "spec.podCIDRs", kProvider = "spec.providerID";
  if (u.written.now) {
    for (std::string_view path : {kRanges, std::string_view("spec.podCIDR"), kProvider})
      take_if_absent(u.now, u.old, path);
  }
  if (builtin::count(u.old, kRanges) > 0 && !same_at(u, kRanges))
    refuse(u, kRanges, Shown::Forbidden, "node updates may not change podCIDR except from \"\" to valid");
  const std::string_view before = builtin::text(u.old, kProvider), now = builtin::text(u.now, kProvider);
  if (before.empty() || before == now) return;
  refuse(u, kProvider, Shown::Nothing,
         now.empty() ? "field cannot be cleared once set" : "field cannot be modified once set");
}

void check_csi_node(Update& u) {
  builtin::each_item(u.old, "spec.drivers", [&](Object& before) {
    builtin::each_item(u.now, "spec.drivers", [&](Object& now) {
      if (builtin::text(now, "name") != builtin::text(before, "name")) return;
      for (Object* o : {&before, &now}) builtin::set(*o, "allocatable", builtin::absent());
      if (!semantic_equal(Data(now), Data(before))) refuse(u, "spec.drivers", Shown::Hidden);
    });
  });
}

void check_service_cidr(Update& u) {
  constexpr std::string_view kRanges = "spec.cidrs";
  const DataList now = at(u.now, kRanges).items, old = at(u.old, kRanges).items;
  if (now.size() != old.size() && (old.size() != 1 || now.size() != 2))
    return refuse(u, kRanges, Shown::Json);
  for (size_t i = 0; i < old.size(); i++) {
    if (now[i].text != old[i].text) u.errors.invalid(index(kRanges, i), now[i].text, kFixed);
  }
}

// --- volumes ---

namespace {

// Labels of nodes that have a new name, which may take the place of the old one.
void rename_labels(Object& now, Object& old) {
  static const std::map<std::string_view, std::string_view> kRenamed = {
      {"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"},
      {"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"},
      {"beta.kubernetes.io/os", "kubernetes.io/os"},
      {"beta.kubernetes.io/arch", "kubernetes.io/arch"},
      {"beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"}};
  constexpr std::string_view kTerms = "spec.nodeAffinity.required.nodeSelectorTerms";
  const std::vector<Value> terms = builtin::values_of(now, kTerms), before = builtin::values_of(old, kTerms);
  for (size_t i = 0; i < std::min(terms.size(), before.size()); i++) {
    for (std::string_view list : {"matchExpressions", "matchFields"}) {
      const std::vector<Value> asked = builtin::values_of(builtin::as_object(terms[i]), list),
                               held = builtin::values_of(builtin::as_object(before[i]), list);
      for (size_t k = 0; k < std::min(asked.size(), held.size()); k++) {
        Object& requirement = builtin::as_object(held[k]);
        const std::string_view key = builtin::text(builtin::as_object(asked[k]), "key");
        const auto renamed = kRenamed.find(builtin::text(requirement, "key"));
        if (renamed != kRenamed.end() && renamed->second == key)
          builtin::set(requirement, "key", Value::string(key));
      }
    }
  }
}

Quantity quantity_of(Arena& arena, std::string_view text) {
  Quantity out = quantity::from_int(0);
  if (!text.empty() && !quantity::parse(arena, text, out).empty()) out = quantity::from_int(0);
  return out;
}

constexpr std::string_view kClass = "spec.volumeAttributesClassName", kRequests = "spec.resources.requests",
                           kSize = "storage";

// The strategy has made one source of the other, which a claim that was stored long ago may lack.
void complete_old_sources(Update& u) {
  constexpr std::string_view kSource = "spec.dataSource", kReference = "spec.dataSourceRef";
  for (const auto& [one, other] : {std::pair(kSource, kReference), std::pair(kReference, kSource)}) {
    if (builtin::has(u.old, one) && !builtin::has(u.old, other) && same_at(u, one)) take(u.old, u.now, other);
  }
}

// The storage class, which an annotation said before there was a field for it.
void check_storage_class(Update& u) {
  constexpr std::string_view kStorageClass = "spec.storageClassName",
                             kAnnotation = "volume.beta.kubernetes.io/storage-class";
  const Value *noted = entry(u.now, kAnnotations, kAnnotation),
              *was = entry(u.old, kAnnotations, kAnnotation);
  const std::string_view asked = builtin::text(u.now, kStorageClass), text = builtin::access::text(noted),
                         before = builtin::access::text(was);
  const bool gets_class = builtin::has(u.now, kStorageClass) && !builtin::has(u.old, kStorageClass);
  if (was != nullptr && gets_class && asked == before && (noted == nullptr || text == asked)) {
    clear(u.now, kStorageClass);  // the field takes the place of the annotation
    return;
  }
  if (text != before && !(u.written.now && noted == nullptr)) {
    u.errors.invalid(child(kAnnotations, kAnnotation), text, kFixed);
    u.errors.list.back().field = kAnnotations;
  }
  if (gets_class && (was == nullptr || asked == before)) take(u.now, u.old, kStorageClass);
}

// Whether a claim asks for less than before, and for no more than it has.
bool shrinks(Update& u) {
  const Quantity asked = quantity_of(u.arena, entry_text(u.now, kRequests, kSize));
  const auto up_to = [&](std::string_view text) {
    return quantity::compare(u.arena, asked, quantity_of(u.arena, text));
  };
  return up_to(entry_text(u.old, kRequests, kSize)) < 0 &&
         up_to(entry_text(u.old, "status.capacity", kSize)) <= 0;
}

}  // namespace

void check_volume(Update& u) {
  keep_spec(u);
  Object *now = builtin::child(u.now, "spec"), *old = builtin::child(u.old, "spec");
  if (now == nullptr || old == nullptr) return;
  // The one member of a source that may be added.
  constexpr std::string_view kSecret = "csi.controllerExpandSecretRef";
  if (builtin::has(*old, "csi") && !builtin::has(*old, kSecret)) clear(*now, kSecret);
  const auto fields = builtin::fields_of(*now->row);
  const bool same_source = std::ranges::all_of(fields, [&](const builtin::FieldRow& f) {
    const auto i = static_cast<size_t>(&f - fields.data());
    return builtin::text_at(f.embedding) != "PersistentVolumeSource" ||
           semantic_equal(Data(now->slots[i], &f), Data(old->slots[i], &f));
  });
  if (!same_source)
    refuse(u, "spec", Shown::Forbidden, "spec.persistentvolumesource",
           "spec.persistentvolumesource is immutable after creation");
  if (!same_at(u, "spec.volumeMode")) refuse(u, "spec.volumeMode", Shown::Json, "volumeMode", kFixed);
  rename_labels(u.now, u.old);
  if (builtin::has(*old, "nodeAffinity") && !same_at(u, "spec.nodeAffinity"))
    refuse(u, "spec.nodeAffinity", Shown::Hidden, "nodeAffinity",
           "field is immutable, except for updating from beta label to GA");
  if (builtin::has(u.old, kClass) && !builtin::has(u.now, kClass))
    refuse(u, kClass, Shown::Forbidden, "update from non-nil value to nil is forbidden");
}

void check_claim(Update& u) {
  constexpr std::string_view kVolume = "spec.volumeName";
  keep_spec(u);
  if (builtin::text(u.old, kVolume).empty()) take(u.old, u.now, kVolume);
  complete_old_sources(u);
  check_storage_class(u);
  const bool too_small = shrinks(u) && !u.written.old;
  const Data class_now = at(u.now, kClass);
  const bool same_class = same_at(u, kClass);
  // Whether a claim of which nobody knows the status is bound is not known either.
  const bool bound = u.written.old || builtin::text(u.now, "status.phase") == "Bound";
  if (bound) {
    const std::string_view before = entry_text(u.old, kRequests, kSize);
    builtin::set_entry(u.arena, u.now, kRequests, kSize, before.empty() ? "0" : before);
    take(u.now, u.old, kClass);
  }
  if (!same_at(u, "spec"))
    refuse(u, "spec", Shown::Forbidden,
           "spec is immutable after creation except resources.requests and volumeAttributesClassName for "
           "bound claims");
  if (too_small)
    refuse(u, "spec.resources.requests.storage", Shown::Forbidden,
           "field can not be less than status.capacity");
  if (!same_at(u, "spec.volumeMode")) refuse(u, "spec.volumeMode", Shown::Json, "volumeMode", kFixed);
  if (same_class || !builtin::has(u.old, "status.currentVolumeAttributesClassName")) return;
  if (!class_now.set)
    refuse(u, kClass, Shown::Forbidden,
           "update to nil is forbidden when status.currentVolumeAttributesClassName is not nil");
  else if (class_now.text.empty())
    refuse(u, kClass, Shown::Forbidden,
           "update to empty string is forbidden when status.currentVolumeAttributesClassName is not nil");
}

// --- Services ---

namespace {

constexpr std::string_view kAddresses = "spec.clusterIPs", kFamilies = "spec.ipFamilies",
                           kOnce = "may not change once set";

bool is_headless(const DataList& addresses) { return addresses.size() == 1 && addresses[0].text == "None"; }

// Whether what the Service says of its addresses agrees. If not, the update ends before the strategy sees it; of the
// errors that it ends with only that is said which follows from what stays as it was.
bool agree(Update& u) {
  const DataList addresses = at(u.now, kAddresses).items, families = at(u.now, kFamilies).items;
  const std::string_view first = builtin::text(u.now, "spec.clusterIP");
  if (addresses.empty()) return first.empty();
  if (first != addresses[0].text) {
    refuse(u, kAddresses, Shown::Json,
           first.empty() ? "must be empty when `clusterIP` is not specified"
                         : "first value must match `clusterIP`");
    return false;
  }
  if (families.size() == 2 && families[0].text == families[1].text) return false;
  for (size_t i = 0; i < families.size(); i++) {
    if (families[i].text != "IPv4" && families[i].text != "IPv6") return false;
  }
  for (size_t i = 0; i < addresses.size() && !is_headless(addresses); i++) {
    netip::Address address;
    std::string error;
    if (!netip::parse_address(addresses[i].text, address, error)) return false;
    if (i < families.size() && families[i].text != (address.v4 ? "IPv4" : "IPv6")) return false;
  }
  return true;
}

// The first address or family stays; the second one may come and go.
void check_pair(Update& u, std::string_view path, bool of_addresses) {
  const DataList now = at(u.now, path).items, old = at(u.old, path).items;
  const auto say = [&](size_t i, std::string_view shown, std::string_view detail) {
    const std::string text = at(u.now, shown).set ? strings_json(at(u.now, shown)) : "null";
    u.errors.invalid_json(index(path, i), text, detail);
  };
  if (now.size() == old.size()) {
    for (size_t i = 0; i < old.size(); i++) {
      if (now[i].text != old[i].text) say(of_addresses ? i : 0, path, kOnce);
    }
    return;
  }
  if (now.size() < old.size() && at(u.now, of_addresses ? path : kAddresses).items.empty())
    say(0, path, of_addresses ? "primary clusterIP can not be unset" : "primary ipFamily can not be unset");
  if (!now.empty() && !old.empty() && now[0].text != old[0].text) say(0, kAddresses, kOnce);
  if (now.size() == 1 && old.size() > 1 && builtin::text(u.now, "spec.ipFamilyPolicy") != "SingleStack")
    refuse(u, "spec.ipFamilyPolicy", Shown::Json,
           of_addresses ? "must be set to 'SingleStack' when releasing the secondary clusterIP"
                        : "must be set to 'SingleStack' when releasing the secondary ipFamily");
}

}  // namespace

void check_service(Update& u) {
  const std::string_view type = builtin::text(u.now, "spec.type"), before = builtin::text(u.old, "spec.type");
  if (type != "ExternalName" && before != "ExternalName") {
    const DataList now = at(u.now, kAddresses).items, old = at(u.old, kAddresses).items;
    // Nobody knows which address it has; but no other one becomes a headless one.
    const bool unknown =
        u.written.old && !old.empty() && old[0].text == builtin::kClusterAddress && !is_headless(now);
    if (unknown || !agree(u)) return;
    if (!is_headless(now) || !is_headless(old)) check_pair(u, kAddresses, true);
    if (!is_headless(now) && !is_headless(old)) check_pair(u, kFamilies, false);
  }
  if (type != "LoadBalancer" || before != "LoadBalancer") return;
  constexpr std::string_view kBalancer = "spec.loadBalancerClass";
  if (u.written.now) take_if_absent(u.now, u.old, kBalancer);
  if (u.written.old) take_if_absent(u.old, u.now, kBalancer);
  if (!same_at(u, kBalancer)) refuse(u, kBalancer, Shown::Json, kOnce);
  const auto is_local = [](Object& o) { return builtin::text(o, "spec.externalTrafficPolicy") == "Local"; };
  if (is_local(u.now) && is_local(u.old) && !u.written.old && !same_at(u, "spec.healthCheckNodePort"))
    refuse(u, "spec.healthCheckNodePort", Shown::Forbidden);
}

// --- Jobs ---

void check_completions(Update& u) {
  constexpr std::string_view kCompletions = "spec.completions";
  if (u.written.now) {
    for (std::string_view path : {kCompletions, std::string_view("spec.selector")})
      take_if_absent(u.now, u.old, path);
  } else if (u.written.old && !builtin::is_set(u.old, "spec.manualSelector")) {
    take(u.old, u.now, "spec.selector");
  }
  if (same_at(u, kCompletions)) return;
  if (builtin::text(u.now, "spec.completionMode") != "Indexed") return refuse(u, kCompletions, Shown::Json);
  const Data completions = at(u.now, kCompletions);
  if (completions.set && completions.number != at(u.now, "spec.parallelism").number)
    refuse(u, kCompletions, Shown::Json, "can only be modified in tandem with spec.parallelism");
}

namespace {

// The node affinity may change, and come and go with what it is in.
void level_affinity(Update& u) {
  constexpr std::string_view kAffinity = "spec.template.spec.affinity";
  Object *now = builtin::child(u.now, kAffinity), *old = builtin::child(u.old, kAffinity);
  if (now == nullptr && old == nullptr) return;
  if (old == nullptr) {
    old = builtin::make_object(u.arena, *now->row);
    builtin::set(u.old, kAffinity, Value::opaque(old));
  }
  if (now != nullptr) return take(*old, *now, "nodeAffinity");
  clear(*old, "nodeAffinity");
  if (!builtin::has(*old, "podAffinity") && !builtin::has(*old, "podAntiAffinity")) clear(u.old, kAffinity);
}

// The resources of containers that keep their names may change.
void level_resources(Update& u, std::string_view path) {
  const std::vector<Value> now = builtin::values_of(u.now, path), old = builtin::values_of(u.old, path);
  if (now.size() != old.size()) return;
  for (size_t i = 0; i < now.size(); i++) {
    Object &container = builtin::as_object(now[i]), &held = builtin::as_object(old[i]);
    if (builtin::text(container, "name") == builtin::text(held, "name")) take(held, container, "resources");
  }
}

}  // namespace

void check_template(Update& u) {
  constexpr std::string_view kTemplate = "spec.template", kSpec = "spec.template.spec",
                             kLabels = "spec.template.metadata.labels";
  // The labels that the server gives to a new Job.
  for (std::string_view key :
       {"controller-uid", "job-name", "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name"}) {
    const Value *now = entry(u.now, kLabels, key), *held = entry(u.old, kLabels, key);
    if ((u.written.now || u.written.old) && now == nullptr && held != nullptr)
      builtin::set_entry(u.arena, u.now, kLabels, key, builtin::access::text(held));
    if (u.written.old && !u.written.now && now != nullptr)
      builtin::set_entry(u.arena, u.old, kLabels, key, builtin::access::text(now));
  }
  const bool suspended = builtin::is_set(u.old, "spec.suspend");
  bool is_waiting = u.written.old || !builtin::has(u.old, "status.startTime");
  builtin::each_item(u.old, "status.conditions", [&](Object& c) {
    is_waiting |= builtin::text(c, "type") == "Suspended" && builtin::text(c, "status") == "True";
  });
  if (!suspended || !is_waiting || at(u.old, "status.active").number != 0) {
    if (!same_at(u, kTemplate)) refuse(u, kTemplate, Shown::Hidden);
    return;
  }
  level_affinity(u);
  for (std::string_view path : {"spec.template.spec.nodeSelector", "spec.template.spec.tolerations",
                                "spec.template.spec.schedulingGates"})
    take(u.old, u.now, path);
  level_resources(u, "spec.template.spec.containers");
  level_resources(u, "spec.template.spec.initContainers");
  if (!same_at(u, kSpec)) refuse(u, kSpec, Shown::Hidden);
}

}  // namespace portcullis::updates
