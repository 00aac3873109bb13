// Rules about updates of Pods and their subresources; see update_rules.h.
#include <algorithm>
#include <initializer_list>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "admission/policies/update_rules.h"
#include "grammar/quote.h"

namespace portcullis::updates {
namespace {

using builtin::Object;

constexpr std::string_view kMirror = "kubernetes.io/config.mirror";

// Whether it is a static Pod, of which the kubelet keeps a copy in the API server; then nothing else is looked at.
bool refuse_static(Update& u, std::string_view detail) {
  if (entry(u.old, kAnnotations, kMirror) == nullptr) return false;
  u.errors.forbidden("[]", detail);  // Go's text for the path of the whole object
  u.errors.list.back().field.clear();
  return true;
}

void check_annotations(Update& u) {
  constexpr std::string_view kProfile = "container.apparmor.security.beta.kubernetes.io/";
  const auto say = [&](std::string_view key, std::string_view change) {
    const bool mirror = key == kMirror;
    if (!mirror && !key.starts_with(kProfile)) return;
    u.errors.forbidden(
        std::string(kAnnotations) + "[" + std::string(key) + "]",
        "may not " + std::string(change) + (mirror ? " mirror pod annotation" : " AppArmor annotations"));
    u.errors.list.back().field = kAnnotations;
  };
  for (const auto& [key, value] : at(u.old, kAnnotations).sorted_texts()) {
    const Value* now = entry(u.now, kAnnotations, key);
    if (now == nullptr ? !u.written.now : builtin::access::text(now) != value) say(key, "remove or update");
  }
  for (const auto& [key, value] : at(u.now, kAnnotations).sorted_texts()) {
    if (entry(u.old, kAnnotations, key) == nullptr) say(key, "add");
  }
}

bool check_deadline(Update& u) {
  constexpr std::string_view kDeadline = "spec.activeDeadlineSeconds";
  const Data now = at(u.now, kDeadline), old = at(u.old, kDeadline);
  constexpr int64_t kMost = 2147483647;
  if (!now.set) {
    if (old.set) refuse(u, kDeadline, Shown::Json, "must not update from a positive integer to nil value");
    return true;
  }
  if (now.number < 0 || now.number > kMost)
    return false;  // refused for another reason, and nothing else is looked at
  if (!old.set || now.number <= old.number) return true;
  refuse(u, kDeadline, Shown::Json, "must be less than or equal to previous value");
  return false;
}

// Tolerations may only be added, apart from their seconds.
void check_tolerations(Update& u) {
  constexpr std::string_view kTolerations = "spec.tolerations", kSeconds = "tolerationSeconds";
  const std::vector<Value> sent = builtin::values_of(u.now, kTolerations);
  for (const Value& v : builtin::values_of(u.old, kTolerations)) {
    Object& held = *builtin::shallow_copy(u.arena, builtin::as_object(v));
    const bool by_plugin = builtin::text(held, "key").starts_with("node.kubernetes.io/");
    const bool found = std::ranges::any_of(sent, [&](const Value& s) {
      take(held, builtin::as_object(s), kSeconds);
      return semantic_equal(Data(held), Data(s));
    });
    if (!found && !(by_plugin && (u.written.now || u.written.old)))
      return refuse(u, kTolerations, Shown::Forbidden,
                    "existing toleration can not be modified except its tolerationSeconds");
  }
}

// Scheduling gates may only be removed.
void check_gates(Update& u) {
  constexpr std::string_view kGates = "spec.schedulingGates";
  std::set<std::string_view> held;
  for (const Data& gate : at(u.old, kGates).items) held.insert(gate.field_text("name"));
  const DataList gates = at(u.now, kGates).items;
  for (size_t i = gates.size(); i-- > 0;) {  // of several of one name, the last one counts
    const std::string_view name = gates[i].field_text("name");
    if (held.insert(name).second)
      u.errors.forbidden(
          child(index(kGates, i), "name"),
          "only deletion is allowed, but found new scheduling gate '" + std::string(name) + "'");
  }
}

bool has_only_additions(Object& now, Object& old) {
  const bool was_empty =
      builtin::count(old, "matchExpressions") == 0 && builtin::count(old, "matchFields") == 0;
  return std::ranges::all_of(
      std::initializer_list<std::string_view>{"matchExpressions", "matchFields"}, [&](std::string_view list) {
        const std::vector<Value> after = builtin::values_of(now, list),
                                 before = builtin::values_of(old, list);
        if (was_empty && !after.empty()) return false;
        if (after.size() < before.size()) return false;
        return std::ranges::equal(
            before, std::span(after).first(before.size()),
            [](const Value& a, const Value& b) { return semantic_equal(Data(a), Data(b)); });
      });
}

// A Pod with gates is not scheduled yet: where it may run can still be narrowed.
void level_gated(Update& u) {
  constexpr std::string_view
      kSelector = "spec.nodeSelector",
      kAffinity = "spec.affinity", kNodes = "spec.affinity.nodeAffinity",
      kTerms = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
  if (!same_at(u, kSelector)) {
    const auto before = at(u.old, kSelector).sorted_texts();
    const bool kept = std::ranges::all_of(before, [&](const auto& e) {
      const Value* now = entry(u.now, kSelector, e.first);
      return now != nullptr && builtin::access::text(now) == e.second;
    });
    if (!kept)
      refuse(u, kSelector, Shown::Json,
             "only additions to spec.nodeSelector are allowed (no mutations or deletions)");
    take(u.now, u.old, kSelector);
  }
  if (same_at(u, kNodes)) return;
  const std::vector<Value> now = builtin::values_of(u.now, kTerms), old = builtin::values_of(u.old, kTerms);
  if (!old.empty() && old.size() != now.size()) {
    refuse(u, kTerms, Shown::Hidden,
           "no additions/deletions to non-empty NodeSelectorTerms list are allowed");
  } else {
    for (size_t i = 0; i < old.size(); i++) {
      if (!has_only_additions(builtin::as_object(now[i]), builtin::as_object(old[i])))
        u.errors.invalid_hidden(index(kTerms, i), "only additions are allowed (no mutations or deletions)");
    }
  }
  Object *affinity = builtin::child(u.now, kAffinity), *held = builtin::child(u.old, kAffinity);
  if (affinity == nullptr) {
    affinity = builtin::make_object(u.arena, *held->row);
    builtin::set(u.now, kAffinity, Value::opaque(affinity));
  } else if (held == nullptr && !builtin::has(*affinity, "podAffinity") &&
             !builtin::has(*affinity, "podAntiAffinity")) {
    return clear(u.now, kAffinity);
  }
  if (held == nullptr)
    clear(*affinity, "nodeAffinity");
  else
    take(*affinity, *held, "nodeAffinity");
}

}  // namespace

void check_pod(Update& u) {
  constexpr std::string_view kSpec = "spec", kPeriod = "spec.terminationGracePeriodSeconds";
  keep_spec(u);
  check_annotations(u);
  for (std::string_view list : {"spec.containers", "spec.initContainers"}) {
    if (builtin::count(u.now, list) != builtin::count(u.old, list))
      return refuse(u, list, Shown::Forbidden, "pod updates may not add or remove containers");
  }
  if (!check_deadline(u)) return;
  check_tolerations(u);
  check_gates(u);
  for (std::string_view list : {"spec.containers", "spec.initContainers"}) {
    const std::vector<Value> now = builtin::values_of(u.now, list), old = builtin::values_of(u.old, list);
    for (size_t i = 0; i < now.size(); i++)
      take(builtin::as_object(now[i]), builtin::as_object(old[i]), "image");
  }
  for (std::string_view path : {"spec.activeDeadlineSeconds", "spec.schedulingGates", "spec.tolerations"})
    take(u.now, u.old, path);
  if (at(u.old, kPeriod).number < 0 && at(u.now, kPeriod).number == 1) take(u.now, u.old, kPeriod);
  if (builtin::count(u.old, "spec.schedulingGates") > 0) level_gated(u);
  if (!same_at(u, kSpec))
    refuse(u, kSpec, Shown::Forbidden,
           "pod updates may not change fields other than "
           "`spec.containers[*].image`,`spec.initContainers[*].image`,"
           "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
           "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)");
}

// Ephemeral containers may only be added.
void check_debugging(Update& u) {
  constexpr std::string_view kContainers = "spec.ephemeralContainers";
  if (refuse_static(u, "static pods do not support ephemeral containers")) return;
  check_annotations(u);
  const std::vector<Value> now = builtin::values_of(u.now, kContainers);
  for (const Value& held : builtin::values_of(u.old, kContainers)) {
    const std::string_view name = builtin::text(builtin::as_object(held), "name");
    const auto found = std::ranges::find_if(
        now, [&](const Value& v) { return builtin::text(builtin::as_object(v), "name") == name; });
    if (found == now.end() ? u.written.now : semantic_equal(Data(*found), Data(held))) continue;
    refuse(u, kContainers, Shown::Forbidden,
           "existing ephemeral containers " + quote(name) + " may not be " +
               (found == now.end() ? "removed" : "changed"));
  }
}

namespace {

void check_sizes(Update& u, Object& now, Object& old, const std::string& path) {
  if (u.written.now) keep_left_out(u.arena, now, old);
  for (std::string_view list : {"requests", "limits"}) {
    const std::string sizes = "resources." + std::string(list);
    const auto held = at(old, sizes).sorted_texts();
    if (std::ranges::any_of(held, [&](const auto& e) { return entry(now, sizes, e.first) == nullptr; }))
      u.errors.forbidden(child(path, sizes), "resource " + std::string(list) + " cannot be removed");
    for (std::string_view may_change : {"cpu", "memory"}) {
      for (Object* o : {&now, &old}) builtin::set_entry(u.arena, *o, sizes, may_change, "0");
    }
  }
}

}  // namespace

void check_resize(Update& u) {
  if (refuse_static(u, "static pods cannot be resized")) return;
  const size_t before = u.errors.list.size();
  for (std::string_view list : {"containers", "initContainers"}) {
    const std::string path = child("spec", list);
    const std::vector<Value> now = builtin::values_of(u.now, path), old = builtin::values_of(u.old, path);
    if (now.size() != old.size()) {
      refuse(u, path, Shown::Forbidden, std::string(list) + " may not be added or removed on resize");
      continue;
    }
    for (size_t i = 0; i < now.size(); i++) {
      if (builtin::text(builtin::as_object(now[i]), "name") !=
          builtin::text(builtin::as_object(old[i]), "name"))
        u.errors.forbidden(child(index(path, i), "name"),
                           std::string(list) + " may not be renamed or reordered on resize");
    }
  }
  if (u.errors.list.size() != before) return;
  constexpr std::string_view kContainers = "spec.containers";
  const std::vector<Value> now = builtin::values_of(u.now, kContainers),
                           old = builtin::values_of(u.old, kContainers);
  for (size_t i = 0; i < now.size(); i++)
    check_sizes(u, builtin::as_object(now[i]), builtin::as_object(old[i]), index(kContainers, i));
  if (!same_at(u, kContainers))
    refuse(u, "spec", Shown::Forbidden, "only cpu and memory resources are mutable");
}

}  // namespace portcullis::updates
