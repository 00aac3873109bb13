#include "admission/builtin/conversion.h"

#include <initializer_list>
#include <utility>
#include <vector>

#include "admission/builtin/decode.h"
#include "admission/builtin/encode.h"
#include "grammar/ascii.h"
#include "interpreter/values/changed.h"
#include "interpreter/values/json.h"
#include "interpreter/values/member.h"

namespace portcullis::builtin {

Value member(const Value& map, std::string_view name) {
  const Value* found = find_member(map, name);
  return found == nullptr ? Value::null() : *found;
}

namespace {

using Members = std::initializer_list<std::pair<std::string_view, Value>>;

// A map of the members that are not null.
Value map_of(Arena& arena, Members members) {
  MapEntry* entries = alloc_entries(arena, members.size());
  size_t n = 0;
  for (const auto& [name, value] : members) {
    if (!value.is_null()) entries[n++] = {Value::string(name), value};
  }
  return make_map(entries, n);
}

template <class Change>
Value each(Arena& arena, const Value& list, Change change) {
  if (!list.is(Kind::List)) return list;
  Value* items = arena.array<Value>(list.size());
  for (size_t i = 0; i < list.size(); ++i) new (&items[i]) Value(change(list.as_list()[i]));
  return Value::list(items, list.size());
}

// `map` with its member `name` replaced by `change` of it, if it has that member.
template <class Change>
Value within(Arena& arena, const Value& map, std::string_view name, Change change) {
  Value old = member(map, name);
  return old.is_null() ? map : with_member(arena, map, name, change(old));
}

// --- events ---

struct Renaming {
  std::string_view version, common;
};
constexpr Renaming kEventFields[] = {
    {"regarding", "involvedObject"},
    {"deprecatedSource", "source"},
    {"note", "message"},
    {"deprecatedFirstTimestamp", "firstTimestamp"},
    {"deprecatedLastTimestamp", "lastTimestamp"},
    {"deprecatedCount", "count"},
    {"reportingController", "reportingComponent"},
};
Value rename_event(Arena& arena, const Value& event, bool to_common) {
  MapEntry* entries = alloc_entries(arena, event.size());
  size_t n = 0;
  for (const MapEntry& e : event.as_map()) {
    Value key = e.key;
    for (const Renaming& r : kEventFields) {
      if (e.key.as_text() == (to_common ? r.version : r.common))
        key = Value::string(to_common ? r.common : r.version);
    }
    entries[n++] = {key, e.value};
  }
  return make_map(entries, n);
}

// --- node.k8s.io/v1alpha1 and apps/v1beta1, which only old manifests and policies use ---

constexpr Renaming kRuntimeFields[] = {
    {"runtimeHandler", "handler"}, {"overhead", "overhead"}, {"scheduling", "scheduling"}};
Value runtime_class_to_common(Arena& arena, const Value& object) {
  Value spec = member(object, "spec"), out = without_member(arena, object, "spec");
  for (const Renaming& r : kRuntimeFields) {
    if (Value v = member(spec, r.version); !v.is_null()) out = with_member(arena, out, r.common, v);
  }
  return out;
}
Value runtime_class_from_common(Arena& arena, const Value& object) {
  Value spec = map_of(arena, {}), out = object;
  for (const Renaming& r : kRuntimeFields) {
    if (Value v = member(object, r.common); !v.is_null()) spec = with_member(arena, spec, r.version, v);
    out = without_member(arena, out, r.common);
  }
  return with_member(arena, out, "spec", spec);
}

// Later versions hold a number where this version has a pointer to a number.
Value stateful_set_from_common(Arena& arena, const Value& object) {
  return within(arena, object, "status", [&](const Value& status) {
    bool seen = !member(status, "observedGeneration").is_null();
    return seen ? status : with_member(arena, status, "observedGeneration", Value::integer(0));
  });
}

// --- resource.k8s.io/v1beta1 ---

// The fields of a request that later versions moved into `exactly`.
constexpr std::string_view kExactFields[] = {"deviceClassName", "selectors",        "allocationMode",
                                             "count",           "adminAccess",      "tolerations",
                                             "capacity",        "derivedAttributes"};
Value request_to_common(Arena& arena, const Value& request) {
  Value exactly, rest = request;
  bool any = false;
  for (std::string_view name : kExactFields) {
    Value v = member(request, name);
    any = any || !(v.is_null() || (v.is(Kind::String) && v.size() == 0));
    if (!v.is_null()) exactly = with_member(arena, exactly, name, v);
    rest = without_member(arena, rest, name);
  }
  return !any ? rest : with_member(arena, rest, "exactly", exactly);
}
// Replaces the member `name` of `object` by the members that it holds.
Value lifted(Arena& arena, const Value& object, std::string_view name) {
  Value held = member(object, name), out = without_member(arena, object, name);
  if (held.is(Kind::Map)) {
    for (const MapEntry& e : held.as_map()) out = with_member(arena, out, e.key.as_text(), e.value);
  }
  return out;
}
Value request_from_common(Arena& arena, const Value& request) { return lifted(arena, request, "exactly"); }
Value device_to_common(Arena& arena, const Value& device) { return lifted(arena, device, "basic"); }
Value device_from_common(Arena& arena, const Value& device) {
  Value name = member(device, "name");
  Value out = map_of(arena, {{"name", name}});
  return with_member(arena, out, "basic", without_member(arena, device, "name"));
}

using Converter = Value (*)(Arena&, const Value&);

template <Converter change>
Value claim_spec(Arena& arena, const Value& spec) {
  return within(arena, spec, "devices", [&](const Value& devices) {
    return within(arena, devices, "requests", [&](const Value& list) {
      return each(arena, list, [&](const Value& r) { return change(arena, r); });
    });
  });
}
template <Converter change>
Value converted_claim(Arena& arena, const Value& object) {
  return within(arena, object, "spec", [&](const Value& spec) { return claim_spec<change>(arena, spec); });
}
template <Converter change>
Value claim_template(Arena& arena, const Value& object) {
  return within(arena, object, "spec",
                [&](const Value& spec) { return converted_claim<change>(arena, spec); });
}
template <Converter change>
Value slice(Arena& arena, const Value& object) {
  return within(arena, object, "spec", [&](const Value& spec) {
    return within(arena, spec, "devices", [&](const Value& list) {
      return each(arena, list, [&](const Value& d) { return change(arena, d); });
    });
  });
}

// --- autoscaling/v1 ---

constexpr std::string_view kRoundTrip[] = {kMetrics,
                                           kCurrentMetrics,
                                           kBehavior,
                                           kConditions,
                                           "autoscaling.alpha.kubernetes.io/scale-down-tolerance",
                                           "autoscaling.alpha.kubernetes.io/scale-up-tolerance"};
constexpr int64_t kDefaultUtilization = 80;

// Names of the fields of a metric source or status in v1, and what they become in v2. `aim` is "target" in a
// spec and "current" in a status.
struct MetricNames {
  std::string_view value, average_value, utilization;
};
constexpr MetricNames kSpecNames = {"targetValue", "targetAverageValue", "targetAverageUtilization"};
constexpr MetricNames kStatusNames = {"currentValue", "currentAverageValue", "currentAverageUtilization"};
constexpr std::string_view kSources[] = {"object", "pods", "resource", "containerResource", "external"};

bool is_resource(std::string_view source) { return source == "resource" || source == "containerResource"; }

// A metric whose source is replaced by `change` of it.
template <class Change>
Value with_sources(Arena& arena, const Value& metric, Change change) {
  Value out = map_of(arena, {{"type", member(metric, "type")}});
  for (std::string_view source : kSources) {
    if (Value in = member(metric, source); !in.is_null())
      out = with_member(arena, out, source, change(source, in));
  }
  return out;
}

Value metric_to_common(Arena& arena, const Value& metric, bool status) {
  const MetricNames& names = status ? kStatusNames : kSpecNames;
  return with_sources(arena, metric, [&](std::string_view source, const Value& in) {
    bool of_object = source == "object", of_resource = is_resource(source);
    Value value = member(in, names.value), utilization = member(in, names.utilization);
    Value average = member(in, of_object ? std::string_view("averageValue") : names.average_value);
    if (!status && of_object && !average.is_null() && value.is(Kind::String) && value.as_text() == "0")
      value = Value::null();
    bool averaged = of_object ? !average.is_null() : value.is_null();
    std::string_view type = of_resource ? (utilization.is_null() ? "AverageValue" : "Utilization")
                            : averaged  ? "AverageValue"
                                        : "Value";
    Value aim = map_of(arena, {{"type", status ? Value::null() : Value::string(type)},
                               {"value", value},
                               {"averageValue", average},
                               {"averageUtilization", utilization}});
    Value identity =
        map_of(arena, {{"name", member(in, "metricName")},
                       {"selector", member(in, source == "external" ? "metricSelector" : "selector")}});
    return map_of(arena, {{"name", of_resource ? member(in, "name") : Value::null()},
                          {"container", member(in, "container")},
                          {"describedObject", of_object ? member(in, "target") : Value::null()},
                          {"metric", of_resource ? Value::null() : identity},
                          {status ? "current" : "target", aim}});
  });
}

Value metric_from_common(Arena& arena, const Value& metric, bool status) {
  const MetricNames& names = status ? kStatusNames : kSpecNames;
  return with_sources(arena, metric, [&](std::string_view source, const Value& in) {
    bool of_object = source == "object";
    Value aim = member(in, status ? "current" : "target"), identity = member(in, "metric");
    return map_of(
        arena,
        {{"name", is_resource(source) ? member(in, "name") : Value::null()},
         {"container", member(in, "container")},
         {"target", of_object ? member(in, "describedObject") : Value::null()},
         {"metricName", member(identity, "name")},
         {source == "external" ? "metricSelector" : "selector", member(identity, "selector")},
         {names.value, member(aim, "value")},
         {of_object ? std::string_view("averageValue") : names.average_value, member(aim, "averageValue")},
         {names.utilization, member(aim, "averageUtilization")}});
  });
}

// Decodes `data` into the struct `struct_path` and encodes it again; null if it does not decode.
Value through(Arena& arena, std::string_view struct_path, const Value& data) {
  if (!data.is(Kind::Map))
    return data.is_null() ? through(arena, struct_path, make_map(alloc_entries(arena, 0), 0)) : Value::null();
  Decoded decoded = decode(arena, *find_struct(struct_path), data, {});
  return decoded.error.empty() ? encode(arena, *decoded.object) : Value::null();
}

// Reads the list (or the object, if `single`) in an annotation; false if the annotation is absent or does not
// decode.
bool read_annotation(Arena& arena, const Value& annotations, std::string_view name,
                     std::string_view struct_path, Value& out) {
  Value text = member(annotations, name);
  if (!text.is(Kind::String)) return false;
  Result<Value> read = read_json(text.as_text(), arena);
  if (!read.ok() || !read->is(Kind::List)) return false;
  bool fits = true;
  out = each(arena, *read, [&](const Value& item) {
    Value v = through(arena, struct_path, item);
    fits = fits && !v.is_null();
    return v;
  });
  return fits;
}

Value cpu_metric(Arena& arena, std::string_view aim, const Value& utilization) {
  Value target = map_of(arena, {{"type", aim == "target" ? Value::string("Utilization") : Value::null()},
                                {"averageUtilization", utilization}});
  return map_of(arena, {{"type", Value::string("Resource")},
                        {"resource", map_of(arena, {{"name", Value::string("cpu")}, {aim, target}})}});
}

Value join(Arena& arena, const std::vector<Value>& items) {
  Value* list = arena.array<Value>(items.size());
  for (size_t i = 0; i < items.size(); ++i) new (&list[i]) Value(items[i]);
  return Value::list(list, items.size());
}

// Changes the initials of all keys: field names in Go start with a capital letter, those in JSON do not.
Value with_initials(Arena& arena, const Value& v, bool capital) {
  if (v.is(Kind::List))
    return each(arena, v, [&](const Value& item) { return with_initials(arena, item, capital); });
  if (!v.is(Kind::Map)) return v;
  MapEntry* entries = alloc_entries(arena, v.size());
  size_t n = 0;
  for (const MapEntry& e : v.as_map()) {
    std::string name(e.key.as_text());
    if (!name.empty()) name[0] = capital ? to_upper(name[0]) : to_lower(name[0]);
    entries[n++] = {Value::string(arena.copy(name)), with_initials(arena, e.value, capital)};
  }
  return make_map(entries, n);
}

Value drop_round_trip(Arena& arena, const Value& object) {
  return within(arena, object, "metadata", [&](const Value& metadata) {
    return within(arena, metadata, "annotations", [&](const Value& annotations) {
      Value out = annotations;
      for (std::string_view name : kRoundTrip) {
        if (!member(out, name).is_null()) out = without_member(arena, out, name);
      }
      return out;
    });
  });
}

constexpr std::string_view kMetricSpec = "api/autoscaling/v1.MetricSpec",
                           kMetricStatus = "api/autoscaling/v1.MetricStatus",
                           kCondition = "api/autoscaling/v1.HorizontalPodAutoscalerCondition",
                           kInternalBehavior =
                               "kubernetes/pkg/apis/autoscaling.HorizontalPodAutoscalerBehavior";

// The behavior in its annotation; null if it has none, or none that decodes.
Value read_behavior(Arena& arena, const Value& annotations) {
  const Value text = member(annotations, kBehavior);
  if (!text.is(Kind::String)) return Value::null();
  const Result<Value> read = read_json(text.as_text(), arena);
  if (!read.ok() || !read->is(Kind::Map)) return Value::null();
  const Value behavior = through(arena, kInternalBehavior, *read);
  const bool any = !member(behavior, "ScaleUp").is_null() || !member(behavior, "ScaleDown").is_null();
  return any ? behavior : Value::null();
}

Value autoscaler_to_common(Arena& arena, const Value& object) {
  Value annotations = member(member(object, "metadata"), "annotations"), spec = member(object, "spec"),
        status = member(object, "status");
  std::vector<Value> metrics;
  Value held;
  if (read_annotation(arena, annotations, kMetrics, kMetricSpec, held)) {
    for (const Value& m : held.as_list()) metrics.push_back(metric_to_common(arena, m, false));
  }
  if (Value cpu = member(spec, "targetCPUUtilizationPercentage"); !cpu.is_null())
    metrics.push_back(cpu_metric(arena, "target", cpu));
  if (metrics.empty()) metrics.push_back(cpu_metric(arena, "target", Value::integer(kDefaultUtilization)));
  spec = with_member(arena, without_member(arena, spec, "targetCPUUtilizationPercentage"), "metrics",
                     join(arena, metrics));
  if (const Value behavior = read_behavior(arena, annotations); !behavior.is_null())
    spec = with_member(arena, spec, "behavior", with_initials(arena, behavior, false));
  if (Value cpu = member(status, "currentCPUUtilizationPercentage"); !cpu.is_null()) {
    status = without_member(arena, status, "currentCPUUtilizationPercentage");
    status = with_member(arena, status, "currentMetrics", join(arena, {cpu_metric(arena, "current", cpu)}));
  }
  if (read_annotation(arena, annotations, kCurrentMetrics, kMetricStatus, held)) {
    status = with_member(arena, status, "currentMetrics",
                         each(arena, held, [&](const Value& m) { return metric_to_common(arena, m, true); }));
  }
  if (read_annotation(arena, annotations, kConditions, kCondition, held))
    status = with_member(arena, status, "conditions", held);
  return drop_round_trip(arena,
                         with_member(arena, with_member(arena, object, "spec", spec), "status", status));
}

bool is_cpu(const Value& metric) {
  Value type = member(metric, "type"), name = member(member(metric, "resource"), "name");
  return type.is(Kind::String) && type.as_text() == "Resource" && name.is(Kind::String) &&
         name.as_text() == "cpu";
}

Value as_go_json(Arena& arena, const Value& v) {
  std::string text;
  JsonWriter(text, JsonEscape::Go, JsonOrder::Document).value(v);
  return Value::string(arena.copy(text));
}

Value autoscaler_from_common(Arena& arena, const Value& given) {
  Value object = drop_round_trip(arena, given), spec = member(object, "spec"),
        status = member(object, "status");
  Value annotations = member(member(object, "metadata"), "annotations"), cpu, current_cpu;
  std::vector<Value> others, currents, conditions;
  Value metrics = member(spec, "metrics"), current = member(status, "currentMetrics"),
        known = member(status, "conditions");
  for (const Value& m : list_items(metrics)) {
    Value utilization = member(member(member(m, "resource"), "target"), "averageUtilization");
    if (!is_cpu(m) || utilization.is_null()) {
      others.push_back(through(arena, kMetricSpec, metric_from_common(arena, m, false)));
    } else if (cpu.is_null()) {
      cpu = utilization;
    }
  }
  for (const Value& m : list_items(current)) {
    Value utilization = member(member(member(m, "resource"), "current"), "averageUtilization");
    if (is_cpu(m) && !utilization.is_null()) current_cpu = utilization;
    currents.push_back(through(arena, kMetricStatus, metric_from_common(arena, m, true)));
  }
  for (const Value& c : list_items(known)) conditions.push_back(through(arena, kCondition, c));
  auto note = [&](std::string_view name, const Value& v) {
    annotations = with_member(arena, annotations, name, as_go_json(arena, v));
  };
  if (!others.empty()) note(kMetrics, join(arena, others));
  if (!currents.empty()) note(kCurrentMetrics, join(arena, currents));
  if (Value behavior = member(spec, "behavior"); !behavior.is_null()) {
    note(kBehavior, through(arena, kInternalBehavior, with_initials(arena, behavior, true)));
  }
  if (!conditions.empty()) note(kConditions, join(arena, conditions));
  if (!annotations.is_null())
    object = with_member(arena, object, "metadata",
                         with_member(arena, member(object, "metadata"), "annotations", annotations));
  if (!cpu.is_null()) spec = with_member(arena, spec, "targetCPUUtilizationPercentage", cpu);
  if (!current_cpu.is_null())
    status = with_member(arena, status, "currentCPUUtilizationPercentage", current_cpu);
  return with_member(arena, with_member(arena, object, "spec", spec), "status", status);
}

Value event_to_common(Arena& arena, const Value& event) { return rename_event(arena, event, true); }
Value event_from_common(Arena& arena, const Value& event) { return rename_event(arena, event, false); }
Value as_it_is(Arena&, const Value& object) { return object; }

// The kinds whose versions differ in more than missing fields.
struct VersionConversion {
  std::string_view path;  // of the version's struct
  Converter to_common, from_common;
};
constexpr VersionConversion kVersionConversions[] = {
    {"api/apps/v1beta1.StatefulSet", as_it_is, stateful_set_from_common},
    {"api/autoscaling/v1.HorizontalPodAutoscaler", autoscaler_to_common, autoscaler_from_common},
    {"api/autoscaling/v2.HorizontalPodAutoscaler", drop_round_trip, drop_round_trip},
    {"api/events/v1.Event", event_to_common, event_from_common},
    {"api/events/v1beta1.Event", event_to_common, event_from_common},
    {"api/node/v1alpha1.RuntimeClass", runtime_class_to_common, runtime_class_from_common},
    {"api/resource/v1beta1.ResourceClaim", converted_claim<request_to_common>,
     converted_claim<request_from_common>},
    {"api/resource/v1beta1.ResourceClaimTemplate", claim_template<request_to_common>,
     claim_template<request_from_common>},
    {"api/resource/v1beta1.ResourceSlice", slice<device_to_common>, slice<device_from_common>},
};

const VersionConversion* find_conversion(const StructRow& row) {
  std::string_view path = text_at(row.path);
  for (const VersionConversion& c : kVersionConversions) {
    if (c.path == path) return &c;
  }
  return nullptr;
}

}  // namespace

Value over_former_autoscaler(Arena& arena, const Value& object, const Value& former) {
  constexpr std::string_view kTarget = "targetCPUUtilizationPercentage",
                             kCurrent = "currentCPUUtilizationPercentage";
  Value metadata = member(object, "metadata"), spec = member(object, "spec"),
        status = member(object, "status");
  Value annotations = member(metadata, "annotations"), held, other;
  const Value before = member(member(former, "metadata"), "annotations");
  const auto take_annotation = [&](std::string_view name) {
    const Value v = member(before, name);
    annotations =
        v.is_null() ? without_member(arena, annotations, name) : with_member(arena, annotations, name, v);
  };
  const auto take_field = [&](Value& part, std::string_view name, std::string_view field) {
    if (const Value v = member(member(former, name), field); !v.is_null())
      part = with_member(arena, part, field, v);
  };
  if (member(spec, kTarget).is_null()) {
    if (!read_annotation(arena, annotations, kMetrics, kMetricSpec, held)) {
      take_annotation(kMetrics);
      take_field(spec, "spec", kTarget);
    } else if (read_annotation(arena, before, kMetrics, kMetricSpec, other) && other.size() > 0) {
      // Quirk of upstream: behind those of the annotation stands the first of the former metrics.
      std::vector<Value> metrics(held.as_list().begin(), held.as_list().end());
      metrics.push_back(other.as_list()[0]);
      annotations = with_member(arena, annotations, kMetrics, as_go_json(arena, join(arena, metrics)));
    } else {
      take_field(spec, "spec", kTarget);
    }
  }
  if (read_behavior(arena, annotations).is_null()) take_annotation(kBehavior);
  if (member(status, kCurrent).is_null() &&
      !read_annotation(arena, annotations, kCurrentMetrics, kMetricStatus, held)) {
    take_annotation(kCurrentMetrics);
    take_field(status, "status", kCurrent);
  }
  if (!read_annotation(arena, annotations, kConditions, kCondition, held)) take_annotation(kConditions);
  if (!annotations.is_null()) metadata = with_member(arena, metadata, "annotations", annotations);
  Value out = with_member(arena, object, "metadata", metadata);
  out = with_member(arena, out, "spec", spec);
  return status.is_null() ? out : with_member(arena, out, "status", status);
}

Value to_common(Arena& arena, const StructRow& row, const Value& object) {
  const VersionConversion* conversion = find_conversion(row);
  return conversion == nullptr ? object : conversion->to_common(arena, object);
}

Value from_common(Arena& arena, const StructRow& row, const Value& object) {
  const VersionConversion* conversion = find_conversion(row);
  return conversion == nullptr ? object : conversion->from_common(arena, object);
}

}  // namespace portcullis::builtin
