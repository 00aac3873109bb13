// See pod_security.h.
#include "admission/policies/pod_security.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "admission/policies/pod_security_checks.h"
#include "interpreter/values/member.h"

namespace portcullis {
namespace {

using Level = PodSecurityLevel;

// A level and the version of its checks.
struct Mode {
  Level level = Level::Privileged;
  std::string_view version = "latest";
  bool operator==(const Mode&) const = default;
};
struct Modes {
  Mode enforce, warn;
};

// --- labels ---

constexpr std::string_view kLabel = "pod-security.kubernetes.io/";
constexpr std::pair<std::string_view, Level> kLevels[] = {
    {"privileged", Level::Privileged}, {"baseline", Level::Baseline}, {"restricted", Level::Restricted}};
constexpr int kLatest = std::numeric_limits<int>::max();

std::optional<Level> level_of(std::string_view text) {
  const auto* row = std::ranges::find(kLevels, text, &std::pair<std::string_view, Level>::first);
  return row == std::end(kLevels) ? std::nullopt : std::optional(row->second);
}

// The minor version of "v1.27"; nothing if the text is no version.
std::optional<int> minor_of(std::string_view text) {
  if (text == "latest") return kLatest;
  if (!text.starts_with("v1.")) return {};
  text.remove_prefix(3);
  if (text.empty() || (text.size() > 1 && text[0] == '0')) return {};
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  int64_t minor = 0;
  for (const char c : text) {
    if (c < '0' || c > '9' || minor > (kMost - (c - '0')) / 10) return {};
    minor = minor * 10 + (c - '0');
  }
  return static_cast<int>(std::min<int64_t>(minor, kLatest));
}

bool is_labelled(const Value& labels) {
  return labels.is(Kind::Map) && std::ranges::any_of(labels.as_map(), [](const MapEntry& e) {
           return e.key.as_text().starts_with(kLabel);
         });
}

std::optional<std::string_view> label(const Value& labels, const std::string& key) {
  const Value* found = find_member(labels, key, Kind::String);
  return found == nullptr ? std::nullopt : std::optional(found->as_text());
}

// What the labels of a mode say.
struct Labelled {
  bool has_level = false, has_version = false;
  bool known = false;  // the level is one
  Mode mode;
};

// A level that is none is `otherwise`, a version that is none the latest. `errors` may be null.
Labelled mode_of(const Value& labels, std::string_view name, Level otherwise, FieldErrors* errors) {
  const std::string key = std::string(kLabel).append(name), version_key = key + "-version";
  const auto refuse = [&](const std::string& label, std::string_view value, std::string_view wanted) {
    if (errors != nullptr) errors->invalid("metadata.labels[" + label + "]", value, wanted);
  };
  Labelled out;
  if (const auto text = label(labels, key)) {
    const auto level = level_of(*text);
    if (!level) refuse(key, *text, "must be one of privileged, baseline, restricted");
    out.has_level = true;
    out.known = level.has_value();
    out.mode.level = level.value_or(otherwise);
  }
  if (const auto text = label(labels, version_key)) {
    out.has_version = true;
    if (minor_of(*text))
      out.mode.version = *text;
    else
      refuse(version_key, *text, "must be \"latest\" or \"v1.x\"");
  }
  return out;
}

Modes modes_of(const Value& labels, FieldErrors* errors) {
  const Labelled enforce = mode_of(labels, "enforce", Level::Restricted, errors);
  mode_of(labels, "audit", Level::Privileged, errors);
  Labelled warn = mode_of(labels, "warn", Level::Privileged, errors);
  if (!warn.has_level && enforce.known && enforce.mode.level > warn.mode.level) {
    warn.mode.level = enforce.mode.level;
    if (!warn.has_version) warn.mode.version = enforce.mode.version;
  }
  return {enforce.mode, warn.mode};
}

// --- requests ---

// Where the kinds that make Pods have the template of them; empty: the object is a Pod.
struct Template {
  std::string_view group, resource;
  std::span<const std::string_view> path;
};
constexpr std::string_view kBare[] = {"template"}, kOfSpec[] = {"spec", "template"},
                           kOfJob[] = {"spec", "jobTemplate", "spec", "template"};
constexpr Template kTemplates[] = {
    {"", "pods", {}},
    {"", "podtemplates", kBare},
    {"", "replicationcontrollers", kOfSpec},
    {"apps", "replicasets", kOfSpec},
    {"apps", "deployments", kOfSpec},
    {"apps", "statefulsets", kOfSpec},
    {"apps", "daemonsets", kOfSpec},
    {"batch", "jobs", kOfSpec},
    {"batch", "cronjobs", kOfJob},
};

// Subresources of Pods that are not looked at.
constexpr std::string_view kIgnored[] = {"exec", "attach", "binding",     "eviction",
                                         "log",  "proxy",  "portforward", "status"};

const Value* container_named(const Value& spec, std::string_view list, std::string_view name) {
  for (const Value& c : list_member(spec, list)) {
    if (text_member(c, "name") == name) return &c;
  }
  return nullptr;
}

// Whether an update of a Pod changes more than what cannot make it less secure.
bool is_significant(const Value& spec, const Value& old) {
  for (std::string_view list : {"containers", "initContainers"}) {
    const auto now = list_member(spec, list), before = list_member(old, list);
    if (!std::ranges::equal(
            now, before, {}, [](const Value& c) { return text_member(c, "image"); },
            [](const Value& c) { return text_member(c, "image"); }))
      return true;
  }
  constexpr std::string_view kEphemeral = "ephemeralContainers";
  for (const Value& c : list_member(spec, kEphemeral)) {
    const Value* before = container_named(old, kEphemeral, text_member(c, "name"));
    if (before == nullptr || text_member(c, "image") != text_member(*before, "image")) return true;
  }
  return false;
}

Value spec_of(const Value& object) {
  const Value* spec = find_member(object, "spec");
  return spec == nullptr ? Value() : *spec;
}

// What a mode finds, behind the mode: `"baseline:latest": host namespaces (hostPID=true)`; empty: nothing.
std::string violations(const Mode& mode, const Value& metadata, const Value& spec) {
  if (mode.level == Level::Privileged) return {};
  const std::string found =
      pod_security_violations(mode.level, minor_of(mode.version).value_or(kLatest), metadata, spec);
  if (found.empty()) return {};
  const auto* level = std::ranges::find(kLevels, mode.level, &std::pair<std::string_view, Level>::second);
  return "\"" + std::string(level->first) + ":" + std::string(mode.version) + "\": " + found;
}

}  // namespace

PodSecurityAnswer check_pod_security(const AdmissionRequest& r, const Value& labels) {
  if (r.operation != Operation::Create && r.operation != Operation::Update) return {};
  const auto* row = std::ranges::find_if(kTemplates, [&](const Template& t) {
    return t.group == r.resource.group && t.resource == r.resource.resource;
  });
  if (row == std::end(kTemplates)) return {};
  const bool is_pod = row->path.empty();
  if (is_pod ? std::ranges::find(kIgnored, r.subresource) != std::end(kIgnored) : !r.subresource.empty())
    return {};
  if (!is_labelled(labels)) return {};
  const Modes modes = modes_of(labels, nullptr);
  const bool updates_pod = is_pod && r.operation == Operation::Update;
  if (updates_pod && !is_significant(spec_of(r.object), spec_of(r.old_object))) return {};
  Value pod = r.object;
  for (std::string_view name : row->path) {
    const Value* next = find_member(pod, name, Kind::Map);
    if (next == nullptr) return {};
    pod = *next;
  }
  const Value* found = find_member(pod, "metadata");
  const Value metadata = found == nullptr ? Value() : *found, spec = spec_of(pod);
  if (is_pod) {
    if (const std::string refused = violations(modes.enforce, metadata, spec); !refused.empty())
      return {.refusal = "violates PodSecurity " + refused, .warning = {}};
  }
  const std::string warned = violations(modes.warn, metadata, spec);
  return {.refusal = {}, .warning = warned.empty() ? "" : "would violate PodSecurity " + warned};
}

void check_pod_security_labels(const AdmissionRequest& r, FieldErrors& errors) {
  const bool updates = r.operation == Operation::Update;
  if (!updates && r.operation != Operation::Create) return;
  if (!r.resource.group.empty() || r.resource.resource != "namespaces" || !r.subresource.empty()) return;
  const auto labels_of = [](const Value& object) {
    const Value* metadata = find_member(object, "metadata");
    const Value* labels = metadata == nullptr ? nullptr : find_member(*metadata, "labels");
    return labels == nullptr ? Value() : *labels;
  };
  FieldErrors now, before;
  modes_of(labels_of(r.object), &now);
  if (updates) modes_of(labels_of(r.old_object), &before);
  if (std::ranges::equal(now.list, before.list, {}, &FieldError::message, &FieldError::message)) return;
  errors.list.insert(errors.list.end(), now.list.begin(), now.list.end());
}

}  // namespace portcullis
