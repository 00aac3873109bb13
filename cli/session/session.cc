// See session.h.
#include "cli/session/session.h"

#include <algorithm>
#include <utility>

#include "cli/cluster/param_notes.h"
#include "cli/messages/messages.h"
#include "cli/requests/recorded.h"
#include "cli/requests/rule_names.h"
#include "manifests/kubectl.h"
#include "manifests/namespaces.h"
#include "manifests/other_engines.h"

namespace portcullis {
namespace {

// The value of --old that makes each object replace itself.
constexpr std::string_view kSameOld = "same";

// The value of --webhooks with which nobody asks them.
constexpr std::string_view kNobodyAsked = "note";

bool usage(std::string_view text, std::string_view hint = {}) {
  say(Severity::Error, {}, {}, text, {}, hint);
  return false;
}

}  // namespace

void Session::take(SessionObjects objects) {
  objects_ = std::move(objects);
  cluster_.set_apart(objects_.apart);
  cluster_.add(objects_.policies, true);
  cluster_.add(objects_.params, false);
  cluster_.add(objects_.old, false, ReviewCluster::Use::Former);
  cluster_.add(objects_.manifests, objects_.among_manifests, ReviewCluster::Use::Reviewed);
  customs_.add(cluster_);
}

bool Session::accept_options() {
  Operation operation = Operation::Create;
  if (!options_.operation.empty() && !parse_operation(options_.operation, operation))
    return usage(unknown_operation(options_.operation));
  const bool has_former = operation == Operation::Update || operation == Operation::Delete;
  if (!options_.operation.empty() && !has_former && !options_.old.empty())
    return usage("--old gives former states, and a " + options_.operation + " has none");
  if (!options_.kubernetes_version.empty()) {
    auto version = parse_kubernetes_version(options_.kubernetes_version);
    if (!version.ok()) return usage(version.error().text);
    version_ = *version;
  }
  if (options_.deleted && old_files(options_).empty())
    return usage("--deleted decides what a former state has and the manifests lack: --old FILE gives it");
  if (options_.deleted && (operation == Operation::Delete || !options_.subresource.empty())) {
    return usage("--deleted decides whole objects that the manifests lack, and " +
                 std::string(operation == Operation::Delete
                                 ? "--operation DELETE deletes those of the manifests"
                                 : "--subresource asks for a part of those of the manifests"));
  }
  if (!options_.cascade.empty() && propagation_of(options_.cascade).empty())
    return usage("--cascade is background, foreground or orphan, not " + quote_json(options_.cascade));
  const bool deletes = options_.deleted || operation == Operation::Delete;
  if (!deletes && (options_.grace_period || !options_.cascade.empty())) {
    return usage(
        std::string(options_.grace_period ? "--grace-period" : "--cascade") +
        " says something of a DELETE, and no request is one: --operation DELETE or --deleted asks for it");
  }
  if (std::string misuse = Routes::misuse(options_.subresource); !misuse.empty()) return usage(misuse);
  cluster_.asks_webhooks = options_.webhooks != kNobodyAsked || options_.reach;
  return cluster_.namespace_labels.read(options_.namespace_labels);
}

bool Session::know_kinds() {
  Resources& resources = cluster_.resources();
  cluster_.typed_params = !options_.as_is;
  cluster_.definitions = &customs_;
  if (!options_.kubernetes_version.empty()) resources.set_minor(version_.minor);
  add_rule_names(cluster_, resources);
  if (!scopes_.find(cluster_, all_, options_.param_scopes, resources)) return false;
  bool named = std::ranges::any_of(all_, [&](const auto* objects) {
    return std::ranges::any_of(*objects, [&](const InputObject& o) {
      return role_of(o) != Role::Review && o.namespace_name.empty() &&
             resources.find(o.api_version, o.kind).namespaced;
    });
  });
  RequestCounts counts;
  for (const InputObject& o : objects_.manifests) counts.add(o);
  if (objects_.survey != nullptr) counts = objects_.survey->counts();
  if (!heeds_flags(options_.request_flags, objects_.manifests, counts, named)) return false;
  for (auto* objects : all_) settle(*objects, resources, options_.namespace_name, arena_);
  return true;
}

bool Session::check_policies() {
  auto problems = cluster_.problems(version_, true);
  if (stored_) problems.clear();
  for (PolicyProblem& p : scopes_.problems(options_.require_known_kinds)) problems.push_back(std::move(p));
  bool refused = false;
  for (const PolicyProblem& p : problems) {
    bool error = p.severity == Severity::Error;
    refused |= error;
    say_problem(p, error && options_.allow_invalid ? Severity::Warning : p.severity);
  }
  refused_ = refused && !options_.allow_invalid;
  if (refused_) return false;
  if (refused) leave_out(problems);
  for (const NotEvaluated& n : cluster_.not_evaluated()) left_out_.push_back(n);
  bool hooks = cluster_.asks_webhooks && !cluster_.configurations().empty();
  const bool defines = std::ranges::any_of(
      cluster_.others(), [](const InputObject* o) { return role_of(*o) == Role::Definition; });
  if (cluster_.policies().empty() && !defines && !hooks) return say_nothing_to_decide(refused);
  if (const auto others = other_engines(objects_.policies, cluster_)) {
    const InputObject& o = *others->first;
    say(options_.strict ? Severity::Error : Severity::Warning, o.file->name, o.locate("kind"), others->text,
        o.file->text, others->hint);
    if (options_.strict) return false;
  }
  note_unused();
  scopes_.say_notes(cluster_.resources());
  return true;
}

void Session::advise() const {
  if (refused_)
    say(Severity::Note, {}, {},
        "nothing is decided because of these errors; --allow-invalid leaves out what has them");
}

bool Session::say_nothing_to_decide(bool refused) const {
  const auto& files = options_.policies.empty() ? options_.manifests : options_.policies;
  const bool hooks = cluster_.asks_webhooks;
  const auto& objects = options_.policies.empty() ? objects_.manifests : objects_.policies;
  return usage(std::string("no ValidatingAdmissionPolicy") + (hooks ? ", " : " or ") +
                   "MutatingAdmissionPolicy " + (hooks ? "or webhook configuration " : "") +
                   (refused ? "without errors " : "") + "in " +
                   list_files(files, options_.reading.recursive) +
                   (options_.policies.empty() ? "; give policies with -p" : ""),
               other_engines_hint(objects));
}

void Session::leave_out(const std::vector<PolicyProblem>& problems) {
  const bool deciding = std::ranges::any_of(problems, [](const PolicyProblem& p) {
    return p.severity == Severity::Error &&
           (!is_request(*p.object) || role_of(*p.object) == Role::Configuration);
  });
  say(Severity::Warning, {}, {},
      std::string(deciding ? "policies and bindings" : "objects") + " with errors are left out");
  for (const PolicyProblem& p : problems) {
    bool known = std::ranges::any_of(left_out_, [&](const NotEvaluated& n) { return n.object == p.object; });
    if (p.severity == Severity::Error && !known) left_out_.push_back({p.object, "left out with its errors"});
  }
  cluster_.drop(problems);
}

// Notes policies that were given with options that do not load them.
void Session::note_unused() const {
  const auto note = [](std::string_view what, const std::vector<const InputObject*>& objects) {
    if (!objects.empty()) say(Severity::Note, {}, {}, std::string(what) + ": " + list_objects(objects));
  };
  note(
      "policies and bindings among the manifests are not reviewed, since the API server passes them to no "
      "policy",
      cluster_.unreviewed());
  note("policies, bindings and webhook configurations decide only if they are given with -p",
       cluster_.unused());
}

// Tells of objects of --old that no manifest replaces, because a manifest that was meant to is decided as a CREATE.
void Session::note_not_replaced(const RequestTally& requests) const {
  std::vector<const InputObject*> idle;
  size_t count = 0;
  for (const InputObject& o : old()) {
    if (!is_request(o) || o.name.empty()) continue;
    count++;
    if (!requests.replaced().contains(&o)) idle.push_back(&o);
  }
  if (idle.empty()) return;
  const bool all = idle.size() == count;
  say(all ? Severity::Warning : Severity::Note, {}, {},
      std::string(all ? "no manifest replaces an object of --old"
                      : "no manifest replaces these objects of --old") +
          ", by kind, namespace and name: " + list_objects(idle) +
          (options_.deleted ? "" : "; --deleted decides their deletion"));
}

RequestMaker& Session::add_maker(RequestSettings settings, std::span<const InputObject> old) {
  for (const auto* list : {&cluster_.policies(), &cluster_.configurations()})
    settings.mutates |= std::ranges::any_of(*list, [](auto* o) { return is_mutating(*o); });
  // A webhook that is asked sees the whole object.
  settings.managed_fields = cluster_.sees_managed_fields() ||
                            (options_.webhooks != kNobodyAsked && !cluster_.configurations().empty());
  RequestMaker& maker = makers_.emplace_back(std::move(settings), cluster_.resources(), arena_).requests;
  maker.set_former(old);
  if (around_ == nullptr) {
    around_ = std::make_shared<builtin::Surroundings>();
    for (const auto* objects : {&objects_.manifests, &objects_.old, &objects_.policies, &objects_.params})
      add_surroundings(*around_, *objects, arena_);
  }
  maker.set_surroundings(around_);
  return maker;
}

bool Session::load() {
  RequestTally requests(cluster_);
  size_t number = 0;
  for (const Maker& m : makers_) {
    requests.add(m.requests, number);
    number += m.requests.requests().size();
  }
  if (number > 0) requests.warn_of_missed_rules();
  contradictions_.emplace(cluster_);
  namespace_use_.learn(cluster_);
  note_missing_params(cluster_);
  note_reviewed_params(cluster_);
  engine_ = load_with(false);
  if (engine_ == nullptr) return false;
  if (!scopes_.in_doubt().empty()) doubtful_ = load_with(true);
  cluster_.objects().forget();
  if (number > 0) note_namespaces(requests);
  return true;
}

std::shared_ptr<const Engine> Session::load_with(bool doubtful_namespaced) {
  // Whether a namespace has requests may be known only at the end; these are loaded, so that no request makes them.
  std::unordered_set<std::string_view> likely = {options_.namespace_name};
  for (std::string_view name : cluster_.namespace_labels.names()) likely.insert(name);
  for (const InputObject& o : objects_.manifests) {
    if (!o.namespace_name.empty()) likely.insert(o.namespace_name);
  }
  if (objects_.survey != nullptr) {
    const auto& named = objects_.survey->namespaces();
    likely.insert(named.begin(), named.end());
  }
  cluster_.assume_namespaces = true;
  std::vector<std::string_view> assumed;
  auto engine = cluster_.load(likely, arena_, assumed, scopes_.kinds(doubtful_namespaced));
  if (engine.ok()) return *engine;
  say(Severity::Error, {}, {}, engine.error().text);
  return nullptr;
}

void Session::note_requests(const RequestTally& requests) const {
  requests.warn_of_missed_rules();
  note_namespaces(requests);
  if (!options_.deleted) note_not_replaced(requests);
}

void Session::note_namespaces(const RequestTally& requests) const {
  note_assumed(requests);
  note_unused_labels(requests);
}

bool Session::is_assumed(std::string_view space) const {
  return space != kDefaultNamespace && !cluster_.namespace_labels.has(space) &&
         !cluster_.has_namespace(space);
}

std::vector<Session::Assumption> Session::assumptions(const AdmissionRequest& asked,
                                                      const AdmissionRequest& validated) const {
  std::vector<Assumption> out;
  const bool is_namespace = asked.resource.resource == "namespaces" && asked.resource.group.empty();
  const std::string_view space = is_namespace ? std::string_view() : asked.namespace_name;
  const bool contradicted = contradictions_->of_namespace(space);
  if (!space.empty() && (contradicted || is_assumed(space)) &&
      namespace_use_.by(*engine_, asked, validated)) {
    out.push_back({"metadata.namespace",
                   (contradicted ? "the files have several Namespaces " : "the labels of namespace ") +
                       quote_json(space) + (contradicted ? "" : " are not given") +
                       ", and what decides looks at labels of namespaces"});
  }
  if (contradictions_->all().empty()) return out;
  if (NamespaceUse::takes(*contradictions_, *engine_, asked, validated))
    out.push_back({"", "the files have several copies of a param, and what decides takes it"});
  const GroupVersionKind& kind = asked.kind_of_objects();
  // What a server sent has been decoded by its own definition.
  if (!asked.served && contradictions_->of_definition(kind.group, kind.kind)) {
    out.push_back({"kind", "the files have several CustomResourceDefinitions of " + std::string(kind.kind) +
                               " with different specs"});
  }
  return out;
}

void Session::note_assumed(const RequestTally& requests) const {
  std::string names;
  for (const std::string& name : requests.namespaces()) {
    if (is_assumed(name)) names.append(names.empty() ? "" : ", ").append(name);
  }
  if (names.empty()) return;
  say(Severity::Note, {}, {},
      "namespaces that are not among the files are assumed to exist, without labels of their own: " + names);
}

void Session::note_unused_labels(const RequestTally& requests) const {
  for (std::string_view name : cluster_.namespace_labels.names()) {
    if (requests.namespaces().contains(name)) continue;
    say(Severity::Note, {}, {},
        "--namespace-label names the namespace " + quote_json(name) + ", and no manifest is in it");
  }
}

std::vector<std::string> Session::old_files(const ReviewOptions& options) {
  std::vector<std::string> files = options.old;
  std::erase(files, kSameOld);
  return files;
}

RequestSettings Session::settings_of(const ReviewOptions& o) {
  RequestSettings s;
  Operation operation;
  if (parse_operation(o.operation, operation)) s.operation = operation;
  s.subresource = o.subresource;
  s.same_old = std::ranges::count(o.old, kSameOld) > 0;
  s.user = o.user;
  s.groups = o.groups;
  s.dry_run = o.dry_run;
  s.grace_period = o.grace_period;
  s.propagation = propagation_of(o.cascade);
  s.as_is = o.as_is;
  s.only_known_kinds = o.require_known_kinds;
  s.field_manager = o.field_manager;
  return s;
}

}  // namespace portcullis
