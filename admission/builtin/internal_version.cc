#include "admission/builtin/internal_version.h"

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "admission/builtin/access.h"
#include "admission/builtin/conversion.h"
#include "admission/builtin/decode.h"
#include "admission/builtin/encode.h"
#include "admission/scalars/group_version.h"
#include "grammar/quote.h"
#include "interpreter/formats/text.h"
#include "interpreter/values/builder.h"

namespace portcullis::builtin {
namespace {

// Moves stringData into data; stringData wins.
std::string secret(Arena& arena, Object& o) {
  Value* strings = find(o, "stringData");
  if (!strings->is(Kind::Map) || strings->size() == 0) {
    *strings = absent();
    return "";
  }
  Value* data = find(o, "data");
  size_t held = data->is(Kind::Map) ? data->size() : 0;
  MapEntry* entries = alloc_entries(arena, held + strings->size());
  for (size_t i = 0; i < held; ++i) entries[i] = data->as_map()[i];
  for (size_t i = 0; i < strings->size(); ++i) {
    const MapEntry& e = strings->as_map()[i];
    TextBuilder encoded(arena);
    append_base64(encoded, e.value.as_text());
    entries[held + i] = {e.key, Value::string(encoded.view())};
  }
  *data = make_map(entries, held + strings->size());
  *strings = absent();
  return "";
}

Value without_key(Arena& arena, const Value& map, const Value& key) {
  MapEntry* entries = alloc_entries(arena, map.size());
  size_t n = 0;
  for (const MapEntry& e : map.as_map()) {
    if (!same_text(e.key, key)) entries[n++] = e;
  }
  return make_map(entries, n);
}

Value with_entry(Arena& arena, const Value& map, const Value& key, const Value& value) {
  size_t held = map.is(Kind::Map) ? map.size() : 0;
  MapEntry* entries = alloc_entries(arena, held + 1);
  for (size_t i = 0; i < held; ++i) entries[i] = map.as_map()[i];
  entries[held] = {key, value};  // a later entry with the same key wins
  return make_map(entries, held + 1);
}

__extension__ typedef __int128 Wide;

// strconv.ParseInt(text, 10, 64) and its error.
std::string parse_int(std::string_view text, int64_t& out) {
  std::string_view digits = text;
  bool negative = !digits.empty() && digits[0] == '-';
  if (!digits.empty() && (digits[0] == '-' || digits[0] == '+')) digits.remove_prefix(1);
  auto fail = [&](std::string_view what) {
    return "strconv.ParseInt: parsing " + quote(text) + ": " + std::string(what);
  };
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos)
    return fail("invalid syntax");
  Wide value = 0;
  for (char c : digits) {
    value = value * 10 + (c - '0');
    if (value > -static_cast<Wide>(INT64_MIN)) return fail("value out of range");
  }
  if (!negative && value > INT64_MAX) return fail("value out of range");
  out = static_cast<int64_t>(negative ? -value : value);
  return "";
}

// Where the internal struct holds a value and the versioned one a pointer, the result always has a value.
void present(Object& o, std::initializer_list<std::string_view> paths, Value zero) {
  for (std::string_view path : paths) {
    Value* slot = find(o, path);
    if (slot != nullptr && is_absent(*slot)) *slot = zero;
  }
}

// A former field whose value stays in an annotation.
std::string internal_daemon_set(Arena& arena, Object& o) {
  present(o,
          {"spec.updateStrategy.rollingUpdate.maxUnavailable", "spec.updateStrategy.rollingUpdate.maxSurge"},
          Value::integer(0));
  const Value key = Value::string(kTemplateGeneration);
  Value* annotations = find(o, "metadata.annotations");
  const Value* given = annotations->is(Kind::Map) ? find_key(*annotations, key) : nullptr;
  int64_t generation = 0;
  if (given != nullptr) {
    if (std::string error = parse_int(given->as_text(), generation); !error.empty()) return error;
  }
  *annotations = with_entry(arena, *annotations, key, Value::string(arena.copy(std::to_string(generation))));
  return "";
}

std::string deployment(Arena& arena, Object& o) {
  present(o, {"spec.strategy.rollingUpdate.maxUnavailable", "spec.strategy.rollingUpdate.maxSurge"},
          Value::integer(0));
  const Value key = Value::string("deprecated.deployment.rollback.to");
  Value* annotations = find(o, "metadata.annotations");
  const Value* given = annotations->is(Kind::Map) ? find_key(*annotations, key) : nullptr;
  if (given == nullptr) return "";
  if (given->size() == 0) {
    *annotations = without_key(arena, *annotations, key);
    return "";
  }
  int64_t revision = 0;
  if (std::string error = parse_int(given->as_text(), revision); !error.empty()) {
    return "failed to parse annotation[" + std::string(key.as_text()) + "]=" + std::string(given->as_text()) +
           " as int64: " + error;
  }
  *annotations = with_entry(arena, *annotations, key, Value::string(arena.copy(std::to_string(revision))));
  return "";
}

// Gives claims in a StatefulSet the apiVersion and kind of objects.
std::string stateful_set(Arena&, Object& o) {
  present(o, {"spec.updateStrategy.rollingUpdate.partition"}, Value::integer(0));
  each_item(o, "spec.volumeClaimTemplates", [](Object& claim) {
    set(claim, "apiVersion", Value::string("v1"));
    set(claim, "kind", Value::string("PersistentVolumeClaim"));
  });
  return "";
}

// podCIDR equals the first of podCIDRs; podCIDR wins if they differ.
std::string internal_node(Arena& arena, Object& o) {
  std::string_view single = text(o, "spec.podCIDR");
  Value* list = find(o, "spec.podCIDRs");
  if (!single.empty() && (count(o, "spec.podCIDRs") == 0 || list->as_list()[0].as_text() != single)) {
    *list = Value::list(arena.make<Value>(Value::string(single)), 1);
  }
  if (count(o, "spec.podCIDRs") != 0) set(o, "spec.podCIDR", list->as_list()[0]);
  return "";
}

// Replaces spec, status and annotations by those of `data`.
void become(Arena& arena, Object& o, const Value& data) {
  Object& made = *decode(arena, *o.row, data, {}).object;
  for (std::string_view part : {"spec", "status", "metadata.annotations"}) set(o, part, *find(made, part));
}

// autoscaling/v1 has one metric. Annotations hold other metrics and some fields of v2, and conversion writes
// them again. Only objects with annotations or a status need the way through v2.
std::string internal_autoscaler(Arena& arena, Object& o) {
  bool plain = count(o, "metadata.annotations") == 0 && !has(o, "status.currentCPUUtilizationPercentage");
  if (plain) {
    if (!has(o, "spec.targetCPUUtilizationPercentage"))
      set(o, "spec.targetCPUUtilizationPercentage", Value::integer(80));
    return "";
  }
  become(arena, o, from_common(arena, *o.row, to_common(arena, *o.row, encode(arena, o))));
  return "";
}

// v2 needs no annotations, and removes those of v1.
std::string new_autoscaler(Arena& arena, Object& o) {
  if (count(o, "metadata.annotations") == 0) return "";
  become(arena, o, to_common(arena, *o.row, encode(arena, o)));
  return "";
}

// v1beta1 keeps the fields of a device in a struct that is always present.
std::string resource_slice(Arena& arena, Object& o) {
  each_item(o, "spec.devices", [&](Object& device) {
    if (!has(device, "basic"))
      set(device, "basic",
          Value::opaque(make_object(arena, *find_struct("api/resource/v1beta1.BasicDevice"))));
  });
  return "";
}

// discovery.k8s.io/v1beta1 names zone and node in the topology; later versions have their own fields.
void endpoint_topology(Arena& arena, Object& endpoint) {
  const Value zone = Value::string("topology.kubernetes.io/zone"),
              hostname = Value::string("kubernetes.io/hostname");
  Value& topology = *find(endpoint, "topology");
  const Value* held = topology.is(Kind::Map) ? find_key(topology, hostname) : nullptr;
  bool has_zone = topology.is(Kind::Map) && find_key(topology, zone) != nullptr,
       has_node = has(endpoint, "nodeName");
  std::string_view node = text(endpoint, "nodeName");
  if (!has_zone && !has_node) {
    if (access::count(&topology) == 0) topology = absent();
    return;
  }
  if (!topology.is(Kind::Map)) topology = make_map(alloc_entries(arena, 0), 0);
  if (has_node && (held == nullptr || held->size() == 0))
    topology = with_entry(arena, topology, hostname, Value::string(node));
}
std::string endpoint_slice(Arena& arena, Object& o) {
  each_item(o, "endpoints", [&](Object& endpoint) { endpoint_topology(arena, endpoint); });
  return "";
}

// rbac.authorization.k8s.io/v1alpha1 gives the group of a subject as an apiVersion; the user "*" means
// everyone.
std::string old_binding(Arena& arena, Object& o) {
  constexpr std::string_view kGroup = "rbac.authorization.k8s.io",
                             kVersion = "rbac.authorization.k8s.io/v1alpha1";
  each_item(o, "subjects", [&](Object& subject) {
    std::string_view kind = text(subject, "kind"), version = text(subject, "apiVersion");
    bool known = kind == "User" || kind == "Group";
    GroupVersion parts = split_api_version(version);
    std::string_view group = known ? kGroup : parts.well_formed ? parts.group : std::string_view();
    if (kind == "User" && text(subject, "name") == "*") {
      set(subject, "kind", Value::string("Group"));
      set(subject, "name", Value::string("system:authenticated"));
    }
    if (kind == "ServiceAccount") {
      set(subject, "apiVersion", Value::string("v1"));
    } else if (known) {
      set(subject, "apiVersion", Value::string(kVersion));
    } else {
      set(subject, "apiVersion", Value::string(group.empty() ? group : arena.copy(std::string(group) + "/")));
    }
  });
  return "";
}

// The internal port of a backend has a name or a number: an empty name is the number 0.
void settle_port(Object& o, std::string_view path) {
  const Value* port = find(o, path);
  if (port != nullptr && port->is(Kind::String) && port->size() == 0) set(o, path, Value::integer(0));
}
std::string old_ingress(Arena&, Object& o) {
  settle_port(o, "spec.backend.servicePort");
  each_item(o, "spec.rules", [](Object& rule) {
    each_item(rule, "http.paths", [](Object& path) { settle_port(path, "backend.servicePort"); });
  });
  return "";
}

// --- What conversion leaves in the internal object that is there ---

const Value* annotation(Object& o, std::string_view key) {
  const Value* annotations = find(o, "metadata.annotations");
  return annotations->is(Kind::Map) ? find_key(*annotations, Value::string(key)) : nullptr;
}

void keep_annotation(Arena& arena, Object& o, Object& before, std::string_view key) {
  const Value* held = annotation(before, key);
  if (held == nullptr) return;
  Value* annotations = find(o, "metadata.annotations");
  *annotations = with_entry(arena, *annotations, Value::string(key), *held);
}

void keep_template_generation(Arena& arena, Object& o, Object& before) {
  if (annotation(o, kTemplateGeneration) == nullptr) keep_annotation(arena, o, before, kTemplateGeneration);
}

void keep_metrics(Arena& arena, Object& o, Object& before) {
  become(arena, o, over_former_autoscaler(arena, encode(arena, o), encode(arena, before)));
}

struct Conversion {
  std::string_view structure;
  std::string (*apply)(Arena&, Object&);
  void (*carry)(Arena&, Object&, Object& before) = nullptr;
};
constexpr Conversion kConversions[] = {
    {"api/core/v1.Secret", secret},
    {"api/core/v1.Node", internal_node},
    {"api/apps/v1.Deployment", deployment},
    {"api/apps/v1beta1.Deployment", deployment},
    {"api/apps/v1beta2.Deployment", deployment},
    {"api/apps/v1.DaemonSet", internal_daemon_set, keep_template_generation},
    {"api/apps/v1beta2.DaemonSet", internal_daemon_set, keep_template_generation},
    {"api/discovery/v1beta1.EndpointSlice", endpoint_slice},
    {"api/extensions/v1beta1.Ingress", old_ingress},
    {"api/networking/v1beta1.Ingress", old_ingress},
    {"api/rbac/v1alpha1.ClusterRoleBinding", old_binding},
    {"api/rbac/v1alpha1.RoleBinding", old_binding},
    {"api/resource/v1beta1.ResourceSlice", resource_slice},
    {"api/autoscaling/v1.HorizontalPodAutoscaler", internal_autoscaler, keep_metrics},
    {"api/autoscaling/v2.HorizontalPodAutoscaler", new_autoscaler},
    {"api/apps/v1.StatefulSet", stateful_set},
    {"api/apps/v1beta1.StatefulSet", stateful_set},
    {"api/apps/v1beta2.StatefulSet", stateful_set},
};

// The conversion of the struct; null if it has none.
const Conversion* conversion_of(const StructRow& row) {
  static const std::vector<const Conversion*> by_struct = [] {
    std::vector<const Conversion*> made(all_structs().size(), nullptr);
    for (const Conversion& c : kConversions) {
      if (const StructRow* with = find_struct(c.structure)) made[struct_index(*with)] = &c;
    }
    return made;
  }();
  return by_struct[struct_index(row)];
}

}  // namespace

bool has_internal_changes(const StructRow& row) { return conversion_of(row) != nullptr; }

std::string pass_through_internal(Arena& arena, Object& object) {
  const Conversion* conversion = conversion_of(*object.row);
  return conversion == nullptr ? std::string() : conversion->apply(arena, object);
}

bool keeps_of_internal(const StructRow& row) {
  const Conversion* conversion = conversion_of(row);
  return conversion != nullptr && conversion->carry != nullptr;
}

void keep_of_internal(Arena& arena, Object& object, Object& before) {
  if (keeps_of_internal(*object.row)) conversion_of(*object.row)->carry(arena, object, before);
}

}  // namespace portcullis::builtin
