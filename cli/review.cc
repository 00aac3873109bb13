// `portcullis review`: decides every manifest as the API server's ValidatingAdmissionPolicy plugin would.
//
// Idea: a manifest becomes the request that kubectl would have caused: CREATE of the object in its namespace, UPDATE
// where --old gives its former state; an AdmissionReview is taken as it is. Then the engine decides, and the
// reporter prints.
// Limits: objects stand as they are in the file (the API server would have set defaults first).
// Tested by tests/cli.py and by running examples/.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <optional>
#include <unordered_set>

#include "admission/admission.h"
#include "cli/cluster.h"
#include "cli/commands.h"
#include "cli/explain.h"
#include "cli/report.h"

namespace portcullis {
namespace {

using Clock = std::chrono::steady_clock;

// Who asks, if nobody is named: an administrator.
constexpr std::string_view kAdmin = "kubernetes-admin";

// A request and what it is made of.
struct Request {
  AdmissionRequest attributes;
  const InputObject* object = nullptr;
  std::string_view uid;
};

// Names an object for finding its former state.
std::string identity(const InputObject& o, std::string_view default_namespace) {
  std::string_view ns = o.namespace_name.empty() ? default_namespace : o.namespace_name;
  std::string key(o.group());
  for (std::string_view part : {o.kind, ns, o.name}) key.append("\n").append(part);
  return key;
}

// The texts of a list; other elements are left out.
std::vector<std::string_view> texts(const Value* list) {
  std::vector<std::string_view> out;
  if (list && list->is(Kind::List)) {
    for (const Value& v : list->as_list()) {
      if (v.is(Kind::String)) out.push_back(v.as_text());
    }
  }
  return out;
}

std::span<const std::string_view> in_arena(const std::vector<std::string_view>& list, Arena& arena) {
  std::string_view* out = arena.array<std::string_view>(list.size());
  std::copy(list.begin(), list.end(), out);
  return {out, list.size()};
}

UserInfo user_info(const Value& json, Arena& arena) {
  UserInfo user;
  user.username = text_member(json, "username");
  user.uid = text_member(json, "uid");
  user.groups = in_arena(texts(find_member(json, "groups")), arena);
  const Value* extra = find_member(json, "extra");
  if (extra && extra->is(Kind::Map)) {
    auto* out = arena.array<UserInfo::Extra>(extra->size());
    size_t n = 0;
    for (const MapEntry& e : extra->as_map()) {
      out[n++] = {e.key.as_text(), in_arena(texts(&e.value), arena)};
    }
    user.extra = {out, n};
  }
  return user;
}

// As the API server's impersonation: the groups that come with every user, and with service accounts.
UserInfo command_line_user(const ReviewOptions& options, Arena& arena) {
  UserInfo user;
  user.username = options.user.empty() ? kAdmin : std::string_view(options.user);
  std::vector<std::string_view> groups(options.groups.begin(), options.groups.end());
  auto add = [&](std::string_view group) {
    if (std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
  };
  constexpr std::string_view kAccount = "system:serviceaccount:";
  if (options.user.empty() && groups.empty()) add("system:masters");
  if (user.username.starts_with(kAccount) && options.groups.empty()) {
    std::string_view ns = user.username.substr(kAccount.size());
    add("system:serviceaccounts");
    add(arena.copy("system:serviceaccounts:" + std::string(ns.substr(0, ns.find(':')))));
  }
  add(user.username == "system:anonymous" ? "system:unauthenticated" : "system:authenticated");
  user.groups = in_arena(groups, arena);
  return user;
}

// The options object that kubectl's request would carry.
Value request_options(Operation operation, Arena& arena) {
  std::string_view kind = operation == Operation::Create   ? "CreateOptions"
                          : operation == Operation::Update ? "UpdateOptions"
                                                           : "DeleteOptions";
  MapEntry* entries = alloc_entries(arena, 2);
  entries[0] = {Value::string("kind"), Value::string(kind)};
  entries[1] = {Value::string("apiVersion"), Value::string("meta.k8s.io/v1")};
  return make_map(arena, entries, 2);
}

// The object with metadata.namespace, which the API server fills in before admission.
Value in_namespace(const InputObject& object, std::string_view ns, Arena& arena) {
  const Value* metadata = find_member(object.value, "metadata");
  if (!metadata || !metadata->is(Kind::Map) || !object.namespace_name.empty()) return object.value;
  auto with = [&](const Value& map, std::string_view key, const Value& value) {
    auto old = map.as_map();
    MapEntry* entries = alloc_entries(arena, old.size() + 1);
    std::copy(old.begin(), old.end(), entries);
    entries[old.size()] = {Value::string(key), value};
    return make_map(arena, entries, old.size() + 1);
  };
  return with(object.value, "metadata", with(*metadata, "namespace", Value::string(ns)));
}

class Review {
 public:
  explicit Review(const ReviewOptions& options) : options_(options) {}

  int run() {
    auto reporter = Reporter::make(options_.output);
    if (!reporter) return usage("unknown output format " + quote_json(options_.output));
    if (!options_.operation.empty() && !parse_operation(options_.operation, operation_)) {
      return usage("unknown operation " + quote_json(options_.operation));
    }
    if (options_.manifests.empty()) return usage("no manifests given");
    read();
    if (inputs_.errors() > 0 || !check_policies() || !make_requests() || !load()) return kNoVerdict;
    return decide(*reporter);
  }

 private:
  static int usage(std::string_view text) {
    say(Severity::Error, {}, {}, text);
    return kNoVerdict;
  }

  void read() {
    policies_ = inputs_.read(options_.policies, options_.recursive);
    params_ = inputs_.read(options_.params, options_.recursive);
    old_ = inputs_.read(options_.old, options_.recursive);
    manifests_ = inputs_.read(options_.manifests, options_.recursive);
    bool among_manifests = options_.policies.empty();
    cluster_.add(policies_, true);
    cluster_.add(params_, false);
    cluster_.add(old_, false);
    cluster_.add(manifests_, among_manifests);
  }

  // Says what is wrong with policies; false if nothing can be decided.
  bool check_policies() {
    if (cluster_.policy_count() == 0) {
      say(Severity::Error, {}, {}, "no ValidatingAdmissionPolicy among the given files");
      return false;
    }
    auto problems = cluster_.problems();
    bool refused = false;
    for (const PolicyProblem& p : problems) {
      bool error = p.severity == Severity::Error;
      refused |= error;
      Severity shown = error && options_.allow_invalid ? Severity::Warning : p.severity;
      say(shown, p.object->file->name, p.object->locate(p.path, true), p.text, p.object->file->text);
    }
    if (refused && options_.allow_invalid) {
      say(Severity::Warning, {}, {}, "policies and bindings with errors are left out");
      cluster_.drop(problems);
      return true;
    }
    return !refused;
  }

  bool make_requests() {
    user_ = command_line_user(options_, inputs_.arena());
    for (const InputObject& o : old_) former_[identity(o, options_.namespace_name)] = &o;
    for (const InputObject& o : manifests_) {
      Role role = role_of(o);
      if (role == Role::Review) {
        if (!add_review(o)) return false;
      } else if (role != Role::Policy && role != Role::Binding && role != Role::Unsupported) {
        if (!add_manifest(o)) return false;
      }
    }
    if (requests_.empty()) {
      say(Severity::Error, {}, {}, "no manifests to review among the given files");
      return false;
    }
    return true;
  }

  bool add_manifest(const InputObject& o) {
    Arena& arena = inputs_.arena();
    Resource resource = cluster_.resources().find(o.api_version, o.kind, !o.namespace_name.empty());
    note_kind(o, resource);
    Request r{{}, &o, {}};
    AdmissionRequest& a = r.attributes;
    a.kind = {arena.copy(resource.group), arena.copy(resource.version), o.kind};
    a.resource = {a.kind.group, a.kind.version, arena.copy(resource.plural)};
    a.name = o.name;
    std::string_view ns = o.namespace_name.empty() ? std::string_view(options_.namespace_name) : o.namespace_name;
    if (resource.namespaced) a.namespace_name = ns;
    bool is_namespace = o.group().empty() && o.kind == "Namespace";
    if (is_namespace) a.namespace_name = o.name;  // as the API server: a Namespace is in itself
    auto state = [&](const InputObject& x) { return resource.namespaced ? in_namespace(x, ns, arena) : x.value; };
    auto former = former_.find(identity(o, options_.namespace_name));
    const InputObject* old = former == former_.end() ? nullptr : former->second;
    a.operation = !options_.operation.empty() ? operation_ : old ? Operation::Update : Operation::Create;
    if (a.operation == Operation::Connect) {
      say(Severity::Error, o.file->name, o.locate(""), "a manifest cannot be CONNECTed to; give an AdmissionReview",
          o.file->text);
      return false;
    }
    if (a.operation != Operation::Delete) a.object = state(o);
    if (a.operation != Operation::Create) a.old_object = state(old ? *old : o);
    a.options = request_options(a.operation, arena);
    a.dry_run = options_.dry_run;
    a.user = user_;
    if (!a.namespace_name.empty() && !is_namespace) wanted_.insert(a.namespace_name);
    requests_.push_back(r);
    return true;
  }

  // Once for each kind that is not known for sure.
  void note_kind(const InputObject& o, const Resource& r) {
    std::string what = std::string(o.api_version) + " " + std::string(o.kind);
    bool guessed = r.source == Resource::Source::Guessed;
    if ((!guessed && r.served) || !noted_.insert(what).second) return;
    std::string text = guessed ? what + " is not a built-in kind and no CustomResourceDefinition is given; taken as " +
                                     (r.namespaced ? "namespaced" : "cluster-scoped") + " resource " + quote_json(r.plural)
                               : what + " is not served by this version of Kubernetes";
    say(Severity::Note, o.file->name, o.locate("kind"), text);
  }

  bool add_review(const InputObject& o) {
    const Value* request = find_member(o.value, "request");
    auto reject = [&](std::string_view text, std::string_view field) {
      say(Severity::Error, o.file->name, o.locate(field), text, o.file->text);
      return false;
    };
    if (!request || !request->is(Kind::Map)) return reject("the AdmissionReview has no request", "request");
    Request r{{}, &o, text_member(*request, "uid")};
    AdmissionRequest& a = r.attributes;
    if (!parse_operation(text_member(*request, "operation"), a.operation)) {
      return reject("the request has no operation, or none that exists", "request.operation");
    }
    auto part = [&](std::string_view name) {
      const Value* v = find_member(*request, name);
      return v ? *v : Value();
    };
    Value kind = part("kind"), resource = part("resource");
    a.kind = {text_member(kind, "group"), text_member(kind, "version"), text_member(kind, "kind")};
    a.resource = {text_member(resource, "group"), text_member(resource, "version"), text_member(resource, "resource")};
    if (a.kind.kind.empty()) return reject("the request has no kind", "request.kind");
    if (a.resource.resource.empty()) return reject("the request has no resource", "request.resource");
    a.subresource = text_member(*request, "subResource");
    a.name = text_member(*request, "name");
    a.namespace_name = text_member(*request, "namespace");
    a.object = part("object");
    a.old_object = part("oldObject");
    a.options = part("options");
    a.dry_run = part("dryRun").is_true();
    a.user = user_info(part("userInfo"), inputs_.arena());
    bool is_namespace = a.resource.group.empty() && a.resource.resource == "namespaces";
    if (!a.namespace_name.empty() && !is_namespace) wanted_.insert(a.namespace_name);
    requests_.push_back(r);
    return true;
  }

  bool load() {
    std::vector<std::string_view> assumed;
    auto engine = cluster_.load(wanted_, inputs_.arena(), assumed);
    if (!engine.ok()) {
      say(Severity::Error, {}, {}, engine.error().text);
      return false;
    }
    engine_ = *engine;
    note_assumed(assumed);
    return true;
  }

  static void note_assumed(const std::vector<std::string_view>& assumed) {
    std::string names;
    for (std::string_view name : assumed) {
      if (name != "default") names.append(names.empty() ? "" : ", ").append(name);
    }
    if (names.empty()) return;
    say(Severity::Note, {}, {}, "assumed to exist, without labels of their own: namespaces " + names);
  }

  int decide(Reporter& reporter) {
    ReviewContext context;
    context.want_outcomes = true;
    Decision decision;
    bool denied = false;
    auto start = Clock::now(), told = start;
    for (size_t i = 0; i < requests_.size(); i++) {
      engine_->review(requests_[i].attributes, context, decision);
      ReviewResult result = result_of(requests_[i], decision);
      denied |= !result.allowed;
      reporter.add(result);
      tell_progress(i + 1, start, told);
    }
    reporter.finish();
    return denied ? kDenied : kAdmitted;
  }

  // Only where more than a second of work remains, and at most once a second.
  void tell_progress(size_t done, Clock::time_point start, Clock::time_point& told) const {
    if (done % 64 != 0) return;
    auto now = Clock::now();
    auto remaining = (now - start) / done * (requests_.size() - done);
    if (now - told < std::chrono::seconds(1) || remaining < std::chrono::seconds(1)) return;
    told = now;
    std::fprintf(stderr, "%zu of %zu manifests\n", done, requests_.size());
  }

  ReviewResult result_of(const Request& request, const Decision& decision) const {
    const AdmissionRequest& a = request.attributes;
    ReviewResult r;
    r.object = request.object;
    r.api_version = a.kind.group.empty() ? "" : std::string(a.kind.group) + "/";
    r.api_version += a.kind.version;
    r.kind = a.kind.kind;
    bool cluster_scoped = a.kind.kind == "Namespace" && a.kind.group.empty();
    r.namespace_name = cluster_scoped ? "" : a.namespace_name;
    r.name = a.name;
    r.operation = operation_name(a.operation);
    r.uid = request.uid;
    r.allowed = decision.allowed;
    if (!decision.allowed) {
      bool is_status = decision.error.empty();
      r.message = is_status ? decision.status.message : decision.error;
      r.status = is_status ? status_json(decision.status) : "{\"message\":" + quote_json(decision.error) + "}";
    }
    r.warnings.assign(decision.warnings.begin(), decision.warnings.end());
    r.audit_annotations.assign(decision.audit_annotations.begin(), decision.audit_annotations.end());
    r.policies_matched = decision.policies_matched;
    for (const ValidationOutcome& o : decision.outcomes) add_failure(r, o, a);
    return r;
  }

  void add_failure(ReviewResult& r, const ValidationOutcome& o, const AdmissionRequest& request) const {
    using Kind = ValidationOutcome::Kind;
    if (o.kind == Kind::Passed || o.kind == Kind::ConditionsFalse) return;
    ReviewFailure f;
    f.policy = o.policy;
    f.binding = o.binding;
    f.param = o.param;
    f.validation = o.validation;
    f.expression = o.expression;
    f.message = o.message;
    f.reason = o.reason;
    f.denied = o.denied;
    f.warned = o.warned;
    f.audited = o.audited;
    f.error = o.kind != Kind::Failed;
    if (const InputObject* policy = cluster_.policy(o.policy)) {
      f.policy_file = policy->file->name;
      std::string path = o.validation < 0 ? "spec" : "spec.validations[" + std::to_string(o.validation) + "].expression";
      f.position = policy->locate(path);
    }
    explain_failure(f, options_.explain, request);
    r.failures.push_back(std::move(f));
  }

  const ReviewOptions& options_;
  Operation operation_ = Operation::Create;
  Inputs inputs_;
  std::vector<InputObject> policies_, params_, old_, manifests_;
  ReviewCluster cluster_;
  std::map<std::string, const InputObject*> former_;
  std::unordered_set<std::string_view> wanted_;  // namespaces
  std::unordered_set<std::string> noted_;        // kinds
  std::vector<Request> requests_;
  UserInfo user_;
  std::shared_ptr<const Engine> engine_;
};

}  // namespace

int review(const ReviewOptions& options) {
  if (options.batch) {  // one loop answers the lines of all modes
    EvalOptions lines;
    lines.batch = true;
    lines.jobs = options.jobs;
    return eval(lines);
  }
  return Review(options).run();
}

}  // namespace portcullis
