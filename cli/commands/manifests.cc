// `portcullis manifests`: prints what an operator applies to run the server in a cluster.
//
// Idea: manifest_templates.h has the texts; this file fills them in. A webhook asks only about the requests that the
// policies have rules for, and leaves out what the server and the cluster need to start. What is given is checked first, so that
// the API server takes what is printed. Limits: policies from files go into one ConfigMap, which has at most 1 MiB.
// Tested by tests/server/manifests.py.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "admission/scalars/names.h"
#include "cli/checks/webhook_parts.h"
#include "cli/commands.h"
#include "cli/commands/manifest_templates.h"
#include "cli/messages/messages.h"
#include "cli/messages/output.h"
#include "cli/reading/input.h"
#include "http/key_pair.h"
#include "interpreter/formats/text.h"
#include "library/served_files.h"
#include "manifests/roles.h"
#include "manifests/watched_kinds.h"

namespace portcullis {
namespace {

using Values = std::map<std::string, std::string>;

constexpr size_t kMostOfConfigMap = size_t{1} << 20;

// The text with the values of @NAME@, and without the parts whose `# @if NAME` does not hold.
std::string fill(std::string_view text, const Values& values, const std::set<std::string>& holds) {
  std::string out;
  bool shown = true;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    std::string_view word = line.substr(std::min(line.find_first_not_of(' '), line.size()));
    if (word.starts_with("# @if ")) shown = holds.contains(std::string(word.substr(6)));
    if (word == "# @end") shown = true;
    if (!shown || word.starts_with("# @")) continue;
    while (!line.empty()) {
      size_t at = line.find('@'), end = line.find('@', std::min(at, line.size() - 1) + 1);
      auto value =
          end == line.npos ? values.end() : values.find(std::string(line.substr(at + 1, end - at - 1)));
      if (value == values.end()) break;
      out.append(line.substr(0, at)).append(value->second);
      line.remove_prefix(end + 1);
    }
    out.append(line).append("\n");
  }
  return out;
}

// Whether a text can be a literal block: people can read it then.
bool is_plain_block(std::string_view text) {
  if (text.empty() || text.front() == ' ' || text.front() == '\n' || text.back() != '\n' ||
      text.ends_with("\n\n"))
    return false;
  return std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= ' ' && c < 0x7f); });
}

// A member of a ConfigMap's data.
std::string data_member(const std::string& key, const std::string& text) {
  if (!is_plain_block(text)) return "  " + key + ": " + quote_json(text) + "\n";
  std::string out = "  " + key + ": |\n";
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find('\n', at);
    if (end > at) out += "    " + text.substr(at, end - at);
    out += '\n';
    at = end + 1;
  }
  return out;
}

// The name of a file, as a key of a ConfigMap that no other file has.
std::string key_of(const std::string& path, std::set<std::string>& used) {
  std::string name = path == "-" ? "policies.yaml" : path.substr(path.rfind('/') + 1);
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_' && c != '.') c = '_';
  }
  if (!has_manifest_name(name)) name += ".yaml";
  if (name.starts_with('.')) name.insert(0, "_");
  std::string key = name;
  for (int i = 2; !used.insert(key).second; i++) key = std::to_string(i) + "-" + name;
  return key;
}

// A rule of a policy as one of a webhook, which has no names of resources. `groups`, `versions`: in place of those of the
// rule, unless they are empty.
std::string webhook_rule(const Value& rule, std::span<const std::string> groups = {},
                         std::span<const std::string> versions = {}) {
  std::string out;
  JsonWriter w(out);
  w.begin_object();
  for (std::string_view name : {"apiGroups", "apiVersions", "operations", "resources", "scope"}) {
    const auto others = name == "apiGroups"     ? groups
                        : name == "apiVersions" ? versions
                                                : std::span<const std::string>();
    if (!others.empty()) {
      w.member(name, others);
    } else if (const Value* member = find_member(rule, name)) {
      w.member(name, *member);
    }
  }
  w.end_object();
  return "  - " + out + "\n";
}

void add_rule(const std::string& rule, std::string& rules) {
  if (rules.find(rule) == rules.npos) rules += rule;
}

void add_rules(const InputObject& policy, std::string& rules) {
  const Value* spec = find_member(policy.value, "spec");
  const Value* matches = spec == nullptr ? nullptr : find_member(*spec, "matchConstraints");
  const Value* list = matches == nullptr ? nullptr : find_member(*matches, "resourceRules", Kind::List);
  for (size_t i = 0; list != nullptr && i < list->size(); i++)
    add_rule(webhook_rule(list->as_list()[i]), rules);
}

// Policies that can share webhooks but for the versions that their rules ask for.
struct SharedHook {
  std::vector<const InputObject*> policies;
  std::map<std::string, std::string> rules;  // by what is behind the path: nothing, or the versions

  void ask_for_everything() {
    rules[""] =
        "  - "
        "{\"apiGroups\":[\"*\"],\"apiVersions\":[\"*\"],\"operations\":[\"*\"],\"resources\":[\"*/*\"]}\n";
  }

  Result<void> make_rules(const Resources& resources) {
    const Result<WebhookParts> parts = webhook_parts(policies, resources);
    if (!parts.ok()) return parts.error();
    for (const auto& [versions, part] : *parts) {
      for (const WebhookRule& r : part)
        add_rule(webhook_rule(*r.rule, r.groups, r.versions), rules["/" + versions]);
    }
    if (!rules.empty()) return {};
    for (const InputObject* p : policies) add_rules(*p, rules[""]);
    std::erase_if(rules, [](const auto& part) { return part.second.empty(); });
    return {};
  }
};

bool is_reinvoked(const InputObject& policy) {
  const Value* spec = find_member(policy.value, "spec");
  return spec != nullptr && text_member(*spec, "reinvocationPolicy") == "IfNeeded";
}

class ManifestPrinter {
 public:
  explicit ManifestPrinter(const ManifestsOptions& options) : options_(options) {}

  int run() {
    check_names();
    holds_.insert(options_.policies.empty() ? "cluster" : "files");
    if (options_.policies.empty() && !options_.all_requests) holds_.insert("exceptions");
    if (options_.create_namespace) holds_.insert("namespace");
    if (options_.most_replicas > 0) holds_.insert("autoscaled");
    read_certificates();
    if (options_.policies.empty()) use_cluster();
    if (!options_.policies.empty()) use_files();
    if (failed_ || inputs_.errors() > 0) return kNoVerdict;
    fill_values();
    std::string out = fill(kServerManifests, values_, holds_);
    out += configuration("MutatingWebhookConfiguration", mutating_webhooks());
    out += configuration("ValidatingWebhookConfiguration", {{"validate", {}, validating_}});
    put(out);
    return kAdmitted;
  }

 private:
  void fail(const std::string& text, std::string_view hint = {}) {
    say(Severity::Error, {}, {}, text, {}, hint);
    failed_ = true;
  }

  void warn(const std::string& text, std::string_view hint = {}) {
    say(Severity::Warning, {}, {}, text, {}, hint);
  }

  void check_names() {
    auto check = [&](const char* flag, const std::string& name, bool good) {
      if (good) return;
      fail(std::string(flag) + ": " + quote_json(name) +
           " is no name of a Kubernetes object: want small letters, digits and -");
    };
    auto is_namespace = [](const std::string& name) { return names::dns1123_label(name).empty(); };
    check("--name", options_.name, names::dns1035_label(options_.name).empty());
    check("--namespace", options_.namespace_name, is_namespace(options_.namespace_name));
    for (const std::string& name : options_.left_out) check("--exclude-namespace", name, is_namespace(name));
    if (options_.most_replicas > 0 && options_.most_replicas < options_.replicas)
      fail("--max-replicas is less than --replicas");
  }

  // The content of a PEM file with a block of this kind.
  std::string read_pem(const std::string& path, std::string_view kind) {
    Result<std::string> text = read_file(path);
    if (!text.ok()) return fail(path + ": " + text.error().text), "";
    if (text->find("-----BEGIN ") == text->npos || text->find(kind) == text->npos)
      return fail(path + ": it has no " + std::string(kind) + " in PEM"), "";
    return std::move(*text);
  }

  std::string in_base64(const std::string& text) {
    TextBuilder out(inputs_.arena());
    append_base64(out, text);
    return std::string(out.view());
  }

  void read_certificates() {
    if (options_.certificate.empty()) {
      holds_.insert("cert_manager");
      return;
    }
    holds_.insert("certificate_files");
    const std::string certificate = read_pem(options_.certificate, "CERTIFICATE");
    const std::string key = read_pem(options_.key, "PRIVATE KEY");
    values_["CERTIFICATE"] = in_base64(certificate);
    values_["KEY"] = in_base64(key);
    values_["CA_BUNDLE"] = options_.authority.empty()
                               ? values_["CERTIFICATE"]
                               : in_base64(read_pem(options_.authority, "CERTIFICATE"));
    if (!failed_) check_certificate(certificate, key);
  }

  void check_certificate(const std::string& certificate, const std::string& key) {
    const http::PairCheck found =
        http::check_pair(certificate, key, options_.name + "." + options_.namespace_name + ".svc");
    if (!found.certificate_error.empty()) fail(options_.certificate + ": " + found.certificate_error);
    if (!found.key_error.empty()) fail(options_.key + ": " + found.key_error);
    for (const std::string& w : found.warnings)
      warn(options_.certificate + ": the API server will not take it: " + w);
  }

  void use_cluster() {
    if (!options_.param_scopes.empty())
      return fail("--params-scope is for policies of -p: a cluster tells the scopes of its kinds");
    std::string rules;
    auto allow = [&](const std::string& group, const std::string& resources) {
      rules += "- apiGroups: [" + quote_json(group) + "]\n  resources: [" + resources +
               "]\n  verbs: [get, list, watch]\n";
    };
    auto allow_kinds = [&](WatchedFor what) {
      const std::vector<Resource> kinds = watched_kinds(what);
      std::string names;
      for (const Resource& r : kinds) names += (names.empty() ? "" : ", ") + r.plural;
      allow(kinds[0].group, names);
    };
    for (WatchedFor what : {WatchedFor::Policies, WatchedFor::Namespaces, WatchedFor::Definitions})
      allow_kinds(what);
    if (options_.authorizer) allow_kinds(WatchedFor::Authorizer);
    for (const std::string& param : options_.param_resources) {
      size_t dot = param.find('.');
      allow(dot == param.npos ? "" : param.substr(dot + 1), quote_json(param.substr(0, dot)));
    }
    rules.pop_back();
    values_["RBAC_RULES"] = rules;
    for (SharedHook* hook : {&validating_, &once_, &again_}) hook->ask_for_everything();
  }

  void use_files() {
    if (options_.authorizer || !options_.param_resources.empty())
      return fail(
          "--authorizer and --param-resource are rights in the cluster, which a server with policies from "
          "files does not read");
    if (options_.all_requests) {
      return fail(
          "--all-requests is for policies of the cluster: with -p the requests are those of the policies");
    }
    const std::vector<InputObject> objects = inputs_.read(options_.policies, options_.reading);
    if (inputs_.errors() > 0 || !check_files(objects) || !take_policies(objects)) return;
    std::string data = data_of(objects);
    if (data.size() > kMostOfConfigMap) {
      return fail("the policies have more than the 1 MiB of a ConfigMap",
                  "without -p the server reads the policies of the cluster");
    }
    if (!make_rules(objects)) return;
    warn_of_wide_rules();
    data.pop_back();
    values_["FILES"] = std::move(data);
  }

  // Gives each policy to its webhook. False if none would decide anything.
  bool take_policies(const std::vector<InputObject>& objects) {
    for (const InputObject& o : objects) {
      if (role_of(o) == Role::Policy)
        (!is_mutating(o) ? validating_ : is_reinvoked(o) ? again_ : once_).policies.push_back(&o);
    }
    const std::string files = list_files(options_.policies, options_.reading.recursive);
    if (validating_.policies.empty() && once_.policies.empty() && again_.policies.empty())
      return fail("no policy is in " + files), false;
    if (std::ranges::count(objects, Role::Binding, role_of) == 0)
      return fail("no binding of a policy is in " + files + ", so the server would not start"), false;
    return true;
  }

  // The files as the data of a ConfigMap.
  static std::string data_of(const std::vector<InputObject>& objects) {
    std::string out;
    std::set<std::string> used;
    std::set<const SourceFile*> files;
    for (const InputObject& o : objects) {
      if (files.insert(o.file).second)
        out += data_member(key_of(o.file->name, used), std::string(o.file->text));
    }
    return out;
  }

  // The rules of the webhooks. False if they cannot be made.
  bool make_rules(const std::vector<InputObject>& objects) {
    Resources resources;
    for (const InputObject& o : objects) {
      if (role_of(o) == Role::Definition) resources.add_definition(o.value);
    }
    for (SharedHook* hook : {&validating_, &once_, &again_}) {
      if (const Result<void> made = hook->make_rules(resources); !made.ok())
        return fail(made.error().text), false;
    }
    return true;
  }

  // Such a webhook has no exceptions, since the rules of the policies say what they are for.
  void warn_of_wide_rules() {
    bool wide = false;
    for (const SharedHook* hook : {&validating_, &once_, &again_}) {
      for (const auto& [versions, rules] : hook->rules) {
        wide |= rules.find("\"*/*\"") != rules.npos || rules.find("\"resources\":[\"*\"]") != rules.npos;
      }
    }
    if (!wide || options_.failure_policy != "Fail") return;
    warn(
        "a rule of a policy names all resources: nodes, leases and what an API server creates at its start "
        "wait for the server",
        "name the resources, or add the matchConditions that are printed without -p");
  }

  // Says what the server would say about the files at its start, and whether it would start; tells it the scopes.
  bool check_files(const std::vector<InputObject>& objects) {
    v1::Manifests files;
    std::map<std::string_view, const SourceFile*> by_name;
    for (const InputObject& o : objects) {
      if (by_name.try_emplace(o.file->name, o.file).second) files.add(o.file->text, o.file->name);
    }
    const v1::LoadResult loaded = load_served_files(files, {.param_scopes = options_.param_scopes});
    for (const v1::Problem& p : loaded.problems) {
      const bool error = p.severity == v1::Problem::Severity::Error;
      const auto file = by_name.find(p.source);
      say(error ? Severity::Error : Severity::Warning, p.source, {p.line, p.column}, p.text,
          file == by_name.end() ? std::string_view() : std::string_view(file->second->text));
      failed_ |= error;
    }
    for (const std::string& given : options_.param_scopes) {
      values_["SCOPES"] +=
          (holds_.insert("scopes").second ? "" : "\n") + std::string("        - --params-scope=") + given;
    }
    return !failed_;
  }

  void fill_values() {
    values_["NAMESPACE"] = options_.namespace_name;
    values_["NAME"] = options_.name;
    values_["IMAGE"] =
        quote_json(options_.image.empty() ? "portcullis-server:" PORTCULLIS_VERSION : options_.image);
    values_["REPLICAS"] = std::to_string(options_.replicas);
    values_["MOST_REPLICAS"] = std::to_string(options_.most_replicas);
    values_["FAILURE_POLICY"] = options_.failure_policy;
    values_["TIMEOUT"] = std::to_string(options_.timeout);
    std::vector<std::string> left_out = {"kube-system", "kube-node-lease", "kube-public",
                                         options_.namespace_name};
    if (holds_.contains("cert_manager")) left_out.emplace_back("cert-manager");
    left_out.insert(left_out.end(), options_.left_out.begin(), options_.left_out.end());
    std::string list;
    for (const std::string& name : left_out) list += (list.empty() ? "" : ", ") + quote_json(name);
    values_["LEFT_OUT"] = list;
  }

  struct Hook {
    std::string path;
    std::string_view reinvocation;  // empty: it is validating
    const SharedHook& shared;
  };

  // Where policies differ in their reinvocationPolicy, each of the two has a webhook: none is told that it is called again.
  std::vector<Hook> mutating_webhooks() const {
    if (again_.rules.empty()) return {{"mutate", "Never", once_}};
    if (once_.rules.empty()) return {{"mutate", "IfNeeded", again_}};
    return {{"mutate/never", "Never", once_}, {"mutate/if-needed", "IfNeeded", again_}};
  }

  // The name of a webhook, which none of `used` has and which is short enough for a server.
  static std::string name_of(std::string name, std::string_view versions, std::set<std::string>& used) {
    constexpr size_t kMostCharacters = 80;
    std::ranges::replace(name, '/', '-');
    for (char c : versions) name += c == '/' ? '.' : c == '.' ? '-' : c;
    if (name.size() > kMostCharacters) name.resize(name.find_last_not_of("-.", kMostCharacters - 1) + 1);
    const std::string first = name;
    for (int i = 2; !used.insert(name).second; i++) name = first + "-" + std::to_string(i);
    return name;
  }

  // Empty if no webhook has rules.
  std::string configuration(const char* kind, const std::vector<Hook>& hooks) {
    std::string out;
    std::set<std::string> names;
    for (const Hook& hook : hooks) {
      for (const auto& [versions, rules] : hook.shared.rules) {
        values_["WEBHOOK"] = name_of(hook.path, versions, names);
        values_["PATH"] = hook.path + versions;
        values_["REINVOCATION"] = hook.reinvocation;
        values_["RULES"] = rules.substr(0, rules.size() - 1);
        auto holds = holds_;
        if (!hook.reinvocation.empty()) holds.insert("mutating");
        if (!versions.empty()) holds.insert("versions");
        out += fill(kWebhook, values_, holds);
      }
    }
    values_["KIND"] = kind;
    return out.empty() ? out : fill(kWebhookConfiguration, values_, holds_) + out;
  }

  const ManifestsOptions& options_;
  Inputs inputs_;
  Values values_;
  std::set<std::string> holds_;
  SharedHook validating_, once_, again_;  // mutating policies by their reinvocationPolicy, Never or IfNeeded
  bool failed_ = false;
};

}  // namespace

int manifests(const ManifestsOptions& options) { return ManifestPrinter(options).run(); }

}  // namespace portcullis
