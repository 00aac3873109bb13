// See pod_security_checks.h.
#include "admission/policies/pod_security_checks.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "grammar/quote.h"
#include "interpreter/values/member.h"

namespace portcullis {
namespace {

using Names = std::vector<std::string_view>;
using Set = std::set<std::string, std::less<>>;  // sorted by bytes, as Go's sets are listed

// A Pod, or the template of one.
struct Pod {
  const Value& metadata;
  const Value& spec;
  int minor;                             // of the version of the checks
  Value security;                        // its securityContext; null if there is none
  std::vector<const Value*> containers;  // init containers first, ephemeral ones last

  // From 1.25 on: what Linux alone has is not asked of Pods for Windows.
  bool runs_on_windows() const {
    const Value* os = find_member(spec, "os");
    return minor >= 25 && os != nullptr && text_member(*os, "name") == "windows";
  }
  // From 1.35 on: a Pod with users of its own may be root within.
  bool has_own_users() const {
    const Value* host = find_member(spec, "hostUsers", Kind::Bool);
    return minor >= 35 && host != nullptr && !host->as_bool();
  }
};

// What a check found.
struct Violation {
  std::string_view reason;
  std::string detail;
};
using Found = std::optional<Violation>;

// --- values ---

Value member(const Value& map, std::string_view name) {
  const Value* found = find_member(map, name);
  return found == nullptr ? Value() : *found;
}
Value security_of(const Value& container) { return member(container, "securityContext"); }
bool is_set(const Value& map, std::string_view name) { return !member(map, name).is_null(); }
std::optional<bool> flag(const Value& map, std::string_view name) {
  const Value* found = find_member(map, name, Kind::Bool);
  return found == nullptr ? std::nullopt : std::optional(found->as_bool());
}

// The names of the containers for which `bad` is true.
template <typename Bad>
Names containers(const Pod& pod, Bad bad) {
  Names out;
  for (const Value* c : pod.containers) {
    if (bad(*c)) out.push_back(text_member(*c, "name"));
  }
  return out;
}

// --- texts ---

std::string_view one_or_many(size_t count, std::string_view one, std::string_view many) {
  return count == 1 ? one : many;
}

// Joins texts, each in `quotes`.
template <typename Texts>
std::string join(const Texts& texts, std::string_view between, std::string_view quotes = {}) {
  std::string out;
  for (const auto& text : texts) {
    if (&text != &*texts.begin()) out += between;
    out.append(quotes).append(text).append(quotes);
  }
  return out;
}
template <typename Texts>
std::string quoted(const Texts& texts) {
  return join(texts, ", ", "\"");
}

std::string named(const Names& containers) {
  return std::string(one_or_many(containers.size(), "container ", "containers ")) + quoted(containers);
}

// `pod and containers "a", "b"`: who sets something.
std::string setters(bool pod, const Names& containers) {
  std::string out = pod ? "pod" : "";
  if (!containers.empty()) out.append(pod ? " and " : "").append(named(containers));
  return out;
}

// Who has a securityContext for which `is_bad` is true.
template <typename Bad>
std::string setters(const Pod& pod, Bad is_bad) {
  const bool pods = is_bad(pod.security);
  return setters(pods, containers(pod, [&](const Value& c) { return is_bad(security_of(c)); }));
}

// Adds the type of a profile that is neither the runtime's nor a local one to `types`. False if there is none.
bool has_other_profile(const Value& security, std::string_view field, Set& types) {
  const Value profile = member(security, field);
  const std::string_view type = text_member(profile, "type");
  if (profile.is_null() || type == "Localhost" || type == "RuntimeDefault") return false;
  types.emplace(type);
  return true;
}

Found found_in(const Names& containers, std::string_view reason, std::string_view what) {
  if (containers.empty()) return {};
  return Violation{reason, named(containers) + std::string(what)};
}

// --- the checks of the level baseline ---

Found app_armor(const Pod& pod) {
  constexpr std::string_view kPrefix = "container.apparmor.security.beta.kubernetes.io/";
  Set types;
  std::string who = setters(
      pod, [&](const Value& security) { return has_other_profile(security, "appArmorProfile", types); });
  std::vector<std::string> values(types.begin(), types.end()), annotations;
  if (const Value all = member(pod.metadata, "annotations"); all.is(Kind::Map)) {
    for (const MapEntry& e : all.as_map()) {
      const std::string_view key = e.key.as_text(), profile = e.value.as_text();
      if (!key.starts_with(kPrefix) || profile.empty() || profile == "runtime/default" ||
          profile.starts_with("localhost/"))
        continue;
      annotations.push_back(std::string(key) + "=" + quote(profile));
    }
  }
  if (!annotations.empty()) {
    std::ranges::sort(annotations);
    values.insert(values.end(), annotations.begin(), annotations.end());
    who.append(who.empty() ? "" : " and ")
        .append(one_or_many(annotations.size(), "annotation", "annotations"));
  }
  if (who.empty()) return {};
  return Violation{one_or_many(values.size(), "forbidden AppArmor profile", "forbidden AppArmor profiles"),
                   who + " must not set AppArmor profile type to " + quoted(values)};
}

// Adds the capabilities that a container adds beyond `allowed`; false if there are none.
bool adds_others(const Value& security, std::initializer_list<std::string_view> allowed, Set& others) {
  bool found = false;
  for (const Value& added : list_member(member(security, "capabilities"), "add")) {
    if (std::ranges::find(allowed, added.as_text()) != allowed.end()) continue;
    others.emplace(added.as_text());
    found = true;
  }
  return found;
}

std::string must_not_add(const Names& containers, const Set& capabilities) {
  return named(containers) + " must not include " + quoted(capabilities) +
         " in securityContext.capabilities.add";
}

Found capabilities(const Pod& pod) {
  Set others;
  const Names bad = containers(pod, [&](const Value& c) {
    return adds_others(security_of(c),
                       {"AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD",
                        "NET_BIND_SERVICE", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"},
                       others);
  });
  if (bad.empty()) return {};
  return Violation{"non-default capabilities", must_not_add(bad, others)};
}

Found host_namespaces(const Pod& pod) {
  std::vector<std::string> shared;
  for (std::string_view name : {"hostNetwork", "hostPID", "hostIPC"}) {
    if (flag(pod.spec, name).value_or(false)) shared.push_back(std::string(name) + "=true");
  }
  if (shared.empty()) return {};
  return Violation{"host namespaces", join(shared, ", ")};
}

Found host_paths(const Pod& pod) {
  Names bad;
  for (const Value& volume : list_member(pod.spec, "volumes")) {
    if (is_set(volume, "hostPath")) bad.push_back(text_member(volume, "name"));
  }
  if (bad.empty()) return {};
  return Violation{"hostPath volumes",
                   std::string(one_or_many(bad.size(), "volume ", "volumes ")) + quoted(bad)};
}

Found host_ports(const Pod& pod) {
  Set ports;
  const Names bad = containers(pod, [&](const Value& c) {
    bool found = false;
    for (const Value& port : list_member(c, "ports")) {
      const Value* host = find_member(port, "hostPort", Kind::Int);
      if (host == nullptr || host->as_int() == 0) continue;
      ports.insert(std::to_string(host->as_int()));
      found = true;
    }
    return found;
  });
  if (bad.empty()) return {};
  return Violation{"hostPort", named(bad) + std::string(one_or_many(bad.size(), " uses ", " use ")) +
                                   std::string(one_or_many(ports.size(), "hostPort ", "hostPorts ")) +
                                   join(ports, ", ")};
}

Found probe_hosts(const Pod& pod) {
  Set bad, hosts;
  for (const Value* c : pod.containers) {
    const Value lifecycle = member(*c, "lifecycle");
    for (const Value& handler :
         {member(*c, "livenessProbe"), member(*c, "readinessProbe"), member(*c, "startupProbe"),
          member(lifecycle, "postStart"), member(lifecycle, "preStop")}) {
      for (std::string_view action : {"httpGet", "tcpSocket"}) {
        const std::string_view host = text_member(member(handler, action), "host");
        if (host.empty()) continue;
        bad.emplace(text_member(*c, "name"));
        hosts.emplace(host);
      }
    }
  }
  if (bad.empty()) return {};
  return Violation{
      "probe or lifecycle host",
      named(Names(bad.begin(), bad.end())) + std::string(one_or_many(bad.size(), " uses ", " use ")) +
          std::string(one_or_many(hosts.size(), "probe or lifecycle host ", "probe or lifecycle hosts ")) +
          quoted(hosts)};
}

Found privileged(const Pod& pod) {
  const Names bad =
      containers(pod, [](const Value& c) { return flag(security_of(c), "privileged").value_or(false); });
  return found_in(bad, "privileged", " must not set securityContext.privileged=true");
}

Found any_proc_mount(const Pod& pod) {
  Set types;
  const Names bad = containers(pod, [&](const Value& c) {
    const Value* type = find_member(security_of(c), "procMount", Kind::String);
    if (type == nullptr || type->as_text() == "Default") return false;
    types.emplace(type->as_text());
    return true;
  });
  return found_in(bad, "procMount", " must not set securityContext.procMount to " + quoted(types));
}

Found proc_mount(const Pod& pod) { return pod.has_own_users() ? Found() : any_proc_mount(pod); }

Found se_linux(const Pod& pod) {
  Set types;
  bool user = false, role = false;
  const auto is_bad = [&](const Value& security) {
    const Value options = member(security, "seLinuxOptions");
    const std::string_view type = text_member(options, "type");
    const bool known = type.empty() || type == "container_t" || type == "container_init_t" ||
                       type == "container_kvm_t" || (type == "container_engine_t" && pod.minor >= 31);
    const bool sets_user = !text_member(options, "user").empty(),
               sets_role = !text_member(options, "role").empty();
    if (!known) types.emplace(type);
    user |= sets_user;
    role |= sets_role;
    return !known || sets_user || sets_role;
  };
  const std::string who = setters(pod, is_bad);
  if (who.empty()) return {};
  std::vector<std::string> what;
  if (!types.empty())
    what.push_back(std::string(one_or_many(types.size(), "type ", "types ")) + quoted(types));
  if (user) what.emplace_back("user may not be set");
  if (role) what.emplace_back("role may not be set");
  return Violation{"seLinuxOptions",
                   who + " set forbidden securityContext.seLinuxOptions: " + join(what, "; ")};
}

// Before 1.19 profiles were annotations.
Found seccomp_annotations(const Pod& pod) {
  Set bad;
  const Value annotations = member(pod.metadata, "annotations");
  const auto look = [&](const std::string& key) {
    const Value* profile = find_member(annotations, key, Kind::String);
    if (profile == nullptr) return;
    const std::string_view text = profile->as_text();
    if (text == "runtime/default" || text == "docker/default" || text.starts_with("localhost/")) return;
    bad.insert(key + "=" + quote(text));
  };
  look("seccomp.security.alpha.kubernetes.io/pod");
  for (const Value* c : pod.containers)
    look("container.seccomp.security.alpha.kubernetes.io/" + std::string(text_member(*c, "name")));
  if (bad.empty()) return {};
  return Violation{
      "seccompProfile",
      "forbidden " + std::string(one_or_many(bad.size(), "annotation ", "annotations ")) + join(bad, ", ")};
}

// `asked`: one must be set, by the Pod or by each container.
Found seccomp(const Pod& pod, bool asked) {
  Set types;
  constexpr std::string_view kField = "seccompProfile";
  const std::string who =
      setters(pod, [&](const Value& security) { return has_other_profile(security, kField, types); });
  if (!who.empty())
    return Violation{kField, who + " must not set securityContext.seccompProfile.type to " + quoted(types)};
  if (!asked || is_set(pod.security, kField)) return {};
  const Names without = containers(pod, [&](const Value& c) { return !is_set(security_of(c), kField); });
  if (without.empty()) return {};
  return Violation{kField, "pod or " + named(without) +
                               " must set securityContext.seccompProfile.type to \"RuntimeDefault\" or "
                               "\"Localhost\""};
}

Found known_seccomp(const Pod& pod) {
  return pod.minor < 19 ? seccomp_annotations(pod) : seccomp(pod, false);
}

// Each is allowed from a version on.
constexpr struct {
  std::string_view name;
  int minor;
} kSafeSysctls[] = {{"kernel.shm_rmid_forced", 0},
                    {"net.ipv4.ip_local_port_range", 0},
                    {"net.ipv4.tcp_syncookies", 0},
                    {"net.ipv4.ping_group_range", 0},
                    {"net.ipv4.ip_unprivileged_port_start", 0},
                    {"net.ipv4.ip_local_reserved_ports", 27},
                    {"net.ipv4.tcp_keepalive_time", 29},
                    {"net.ipv4.tcp_fin_timeout", 29},
                    {"net.ipv4.tcp_keepalive_intvl", 29},
                    {"net.ipv4.tcp_keepalive_probes", 29},
                    {"net.ipv4.tcp_rmem", 32},
                    {"net.ipv4.tcp_wmem", 32},
                    {"net.ipv4.tcp_slow_start_after_idle", 37},
                    {"net.ipv4.tcp_notsent_lowat", 37}};

Found sysctls(const Pod& pod) {
  Names bad;
  for (const Value& sysctl : list_member(pod.security, "sysctls")) {
    const std::string_view name = text_member(sysctl, "name");
    if (std::ranges::none_of(kSafeSysctls,
                             [&](const auto& s) { return s.name == name && s.minor <= pod.minor; }))
      bad.push_back(name);
  }
  if (bad.empty()) return {};
  return Violation{"forbidden sysctls", join(bad, ", ")};
}

Found host_process(const Pod& pod) {
  const auto is_bad = [](const Value& security) {
    return flag(member(security, "windowsOptions"), "hostProcess").value_or(false);
  };
  const std::string who = setters(pod, is_bad);
  if (who.empty()) return {};
  return Violation{"hostProcess", who + " must not set securityContext.windowsOptions.hostProcess=true"};
}

// --- the checks of the level restricted ---

Found escalation(const Pod& pod) {
  if (pod.runs_on_windows()) return {};
  const Names bad = containers(
      pod, [](const Value& c) { return flag(security_of(c), "allowPrivilegeEscalation").value_or(true); });
  return found_in(bad, "allowPrivilegeEscalation != false",
                  " must set securityContext.allowPrivilegeEscalation=false");
}

Found all_capabilities(const Pod& pod) {
  if (pod.runs_on_windows()) return {};
  const Names keeping = containers(pod, [](const Value& c) {
    return std::ranges::none_of(list_member(member(security_of(c), "capabilities"), "drop"),
                                [](const Value& dropped) { return dropped.as_text() == "ALL"; });
  });
  Set others;
  const Names adding = containers(
      pod, [&](const Value& c) { return adds_others(security_of(c), {"NET_BIND_SERVICE"}, others); });
  std::vector<std::string> details;
  if (!keeping.empty())
    details.push_back(named(keeping) + " must set securityContext.capabilities.drop=[\"ALL\"]");
  if (!adding.empty()) details.push_back(must_not_add(adding, others));
  if (details.empty()) return {};
  return Violation{"unrestricted capabilities", join(details, "; ")};
}

constexpr std::string_view kAllowedVolumes[] = {"configMap", "csi",   "downwardAPI",           "emptyDir",
                                                "ephemeral", "image", "persistentVolumeClaim", "projected",
                                                "secret"};
// In the order in which they name a volume that has several.
constexpr std::string_view kRestrictedVolumes[] = {"hostPath",
                                                   "gcePersistentDisk",
                                                   "awsElasticBlockStore",
                                                   "gitRepo",
                                                   "nfs",
                                                   "iscsi",
                                                   "glusterfs",
                                                   "rbd",
                                                   "flexVolume",
                                                   "cinder",
                                                   "cephfs",
                                                   "flocker",
                                                   "fc",
                                                   "azureFile",
                                                   "vsphereVolume",
                                                   "quobyte",
                                                   "azureDisk",
                                                   "photonPersistentDisk",
                                                   "portworxVolume",
                                                   "scaleIO",
                                                   "storageos"};

Found volume_types(const Pod& pod) {
  Names bad;
  Set types;
  for (const Value& volume : list_member(pod.spec, "volumes")) {
    const auto is_used = [&](std::string_view type) { return is_set(volume, type); };
    if (std::ranges::any_of(kAllowedVolumes, is_used)) continue;
    bad.push_back(text_member(volume, "name"));
    const auto* type = std::ranges::find_if(kRestrictedVolumes, is_used);
    types.emplace(type == std::end(kRestrictedVolumes) ? "unknown" : *type);
  }
  if (bad.empty()) return {};
  return Violation{
      "restricted volume types",
      std::string(one_or_many(bad.size(), "volume ", "volumes ")) + quoted(bad) +
          std::string(one_or_many(bad.size(), " uses ", " use ")) +
          std::string(one_or_many(types.size(), "restricted volume type ", "restricted volume types ")) +
          quoted(types)};
}

Found non_root(const Pod& pod) {
  if (pod.has_own_users()) return {};
  constexpr std::string_view kField = "runAsNonRoot", kReason = "runAsNonRoot != true";
  const std::string who =
      setters(pod, [&](const Value& security) { return flag(security, kField) == false; });
  if (!who.empty()) return Violation{kReason, who + " must not set securityContext.runAsNonRoot=false"};
  if (flag(pod.security, kField)) return {};
  const Names without =
      containers(pod, [&](const Value& c) { return !flag(security_of(c), kField).has_value(); });
  if (without.empty()) return {};
  return Violation{kReason, "pod or " + named(without) + " must set securityContext.runAsNonRoot=true"};
}

Found root_user(const Pod& pod) {
  if (pod.has_own_users()) return {};
  const auto is_bad = [](const Value& security) {
    const Value* user = find_member(security, "runAsUser", Kind::Int);
    return user != nullptr && user->as_int() == 0;
  };
  const std::string who =
      setters(is_bad(pod.security), containers(pod, [&](const Value& c) { return is_bad(security_of(c)); }));
  if (who.empty()) return {};
  return Violation{"runAsUser=0", who + " must not set runAsUser=0"};
}

Found set_seccomp(const Pod& pod) { return pod.runs_on_windows() ? Found() : seccomp(pod, true); }

// --- the table ---

// In the order in which messages have them: by level, then by the names that upstream gives them.
struct Check {
  PodSecurityLevel level;
  int since;  // the minor version
  Found (*find)(const Pod&);
  // Of a check of the level baseline, from which version on a check of the level restricted takes its place there.
  std::optional<int> replaced = {};
};
constexpr auto kBaseline = PodSecurityLevel::Baseline, kRestricted = PodSecurityLevel::Restricted;
constexpr Check kChecks[] = {
    {kBaseline, 0, app_armor},         {kBaseline, 0, capabilities, 22},
    {kBaseline, 0, host_namespaces},   {kBaseline, 0, host_paths, 0},
    {kBaseline, 0, host_ports},        {kBaseline, 34, probe_hosts},
    {kBaseline, 0, privileged},        {kBaseline, 0, proc_mount, 35},
    {kBaseline, 0, se_linux},          {kBaseline, 0, known_seccomp, 19},
    {kBaseline, 0, sysctls},           {kBaseline, 0, host_process},
    {kRestricted, 8, escalation},      {kRestricted, 22, all_capabilities},
    {kRestricted, 35, any_proc_mount}, {kRestricted, 0, volume_types},
    {kRestricted, 0, non_root},        {kRestricted, 23, root_user},
    {kRestricted, 19, set_seccomp},
};

}  // namespace

std::string pod_security_violations(PodSecurityLevel level, int minor, const Value& metadata,
                                    const Value& spec) {
  Pod pod{metadata, spec, minor, security_of(spec), {}};
  for (std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    for (const Value& c : list_member(spec, list)) pod.containers.push_back(&c);
  }
  std::string out;
  for (const Check& check : kChecks) {
    if (check.level > level || check.since > minor) continue;
    if (level == kRestricted && check.replaced && *check.replaced <= minor) continue;
    const Found found = check.find(pod);
    if (!found) continue;
    out.append(out.empty() ? "" : ", ").append(found->reason);
    if (!found->detail.empty()) out.append(" (").append(found->detail).append(")");
  }
  return out;
}

}  // namespace portcullis
