// See search.h.
#include "cli/drafts/search.h"

#include <algorithm>
#include <set>
#include <utility>

#include "admission/objects/difference.h"
#include "cli/drafts/constants.h"
#include "cli/drafts/natural.h"
#include "cli/drafts/plans.h"
#include "cli/messages/messages.h"
#include "cli/session/decider.h"
#include "cli/suites/changes.h"
#include "cli/suites/expect.h"

namespace portcullis::drafts {
namespace {

constexpr int kRounds = 6;
constexpr size_t kMost = 4000;  // candidates of a round
constexpr size_t kMostTroubled = 32;
constexpr size_t kRefused = 1000;   // penalty of a refused candidate, in expressions that fail to evaluate
constexpr size_t kIdle = 1000;      // weight of an object that a mutating policy leaves alone
constexpr size_t kMostOld = 64;     // former states of one object, each with a session of its own
constexpr size_t kMostSetups = 12;  // likewise
constexpr size_t kMostParams = 24;  // of plans
constexpr size_t kMostTries = 200;  // of params before a round, each with two sessions

class Search {
 public:
  Search(const InputObject& policy, const std::vector<InputObject>& policies, const ObjectKind& kind,
         const Reads& reads, const Selected& selected, const Param& param)
      : policy_(policy),
        policies_(policies),
        reads_(reads),
        kind_(kind),
        given_param_(param.there),
        param_(param.smallest),
        fixed_param_(param.fixed) {
    options_.operation = kind.operation;
    if (kind.operation == "UPDATE") options_.old = {"same"};
    options_.subresource = kind.subresource;
    setup_.namespace_name = selected.namespace_name;
    setup_.namespace_labels = selected.label_flags();
  }

  Found run(std::string start) {
    for (int round = 0; round < kRounds; round++) {
      // Where nothing fails to evaluate for the start, the param does not show in it.
      const bool tuned = tune_param(round == 0 ? std::vector{start} : troubled_);
      const std::string& param = given_param_.empty() ? param_ : given_param_;
      values_ = values_for(reads_, param);
      plans_ = plans_of(policy_, kind_, param);
      best_ = {};
      least_ = SIZE_MAX;
      troubled_ = {};
      const std::vector<std::string> objects = candidates(start);
      if (!decide(objects, param_)) break;
      if (with_old() && !decide(objects, param_, start)) break;
      try_plans(start);
      if (is_complete()) break;
      const bool may_tune = !param_.empty() && !troubled_.empty() && (round == 0 || tuned);
      if (best_.empty() || (best_ == start && !may_tune)) break;
      start = best_;
    }
    if (with_old() && !is_complete()) {
      const std::vector<std::string> olds = candidates(start);
      for (size_t i = 0; i < std::min(olds.size(), kMostOld); i++) decide({start}, param_, olds[i]);
    }
    // A policy mostly leaves alone what it has changed.
    if (!mutated_.empty() && !found_.same) decide({mutated_}, param_);
    found_.param = param_;
    return std::move(found_);
  }

 private:
  bool with_old() const { return reads_.old && kind_.operation == "UPDATE"; }

  // Whether nothing that may still be found is better.
  bool is_complete() const {
    const auto is_best = [](const std::optional<TriedObject>& o) { return o && o->allowed; };
    if (is_mutating(policy_)) return is_best(found_.changed) && is_best(found_.same);
    const auto one = [](const auto& failing) { return failing.second.failures == 1; };
    return is_best(found_.passing) && found_.failing.size() + 1 == goals() &&
           std::ranges::all_of(found_.failing, one);
  }

  // Gives the param the values with which plans find most of what is searched and, among these, the fewest expressions
  // fail to evaluate for the objects: those of a plan, and then one path after the other. Whether that is another param
  // than before.
  bool tune_param(const std::vector<std::string>& objects) {
    if (param_.empty() || fixed_param_ || objects.empty()) return false;
    const Found known = found_;
    const std::string before = param_;
    const std::vector<Plan> plans = plans_of(policy_, kind_, {});
    std::set<std::string> params, planned;
    for (const Plan& plan : plans) {
      std::string object = object_of(objects[0], plan);
      if (!object.empty() && setup_of(plan) == setup_) planned.insert(std::move(object));
      std::string param = applied(before, plan, kParamsRoot, kind_);
      if (!param.empty() && params.size() < kMostParams) params.insert(std::move(param));
    }
    const std::vector<std::string> shown(planned.begin(), planned.end());
    size_t least = SIZE_MAX, most = 0, tries = 0;
    const auto complete = [&] { return least == 0 && most >= goals(); };
    auto try_param = [&](const std::string& tried, std::string& chosen) {
      errors_ = 0;
      if (tried.empty() || complete() || tries++ >= kMostTries || !decide(objects, tried)) return;
      const size_t errors = errors_;
      found_ = {};
      if (!shown.empty()) decide(shown, tried);
      const size_t found = found_.failing.size() + (found_.passing ? 1 : 0) + (found_.changed ? 1 : 0);
      if (least != SIZE_MAX && (found < most || (found == most && errors >= least))) return;
      least = errors;
      most = found;
      chosen = tried;
    };
    try_param(before, param_);
    for (const std::string& param : params) try_param(param, param_);
    for (const Path& path : reads_.param_paths) {
      if (complete()) break;
      std::string chosen = param_;
      for (const std::string& value : values_for(reads_)) {
        // Nothing applies to the elements of an empty list, so it would always be best.
        if (!value.empty() || path.back() != kElement) try_param(with_value(param_, path, value), chosen);
      }
      param_ = chosen;
    }
    found_ = {.tried = known.tried, .errors = known.errors};  // what other params showed does not count
    if (param_ == before) found_ = known;
    return param_ != before;
  }
  // An object that passes, and one for each validation or for the mutations.
  size_t goals() const {
    return 1 + (is_mutating(policy_) ? 1 : list_at(policy_.value, "spec.validations").size());
  }

  std::vector<std::string> candidates(const std::string& start) {
    std::vector<std::string> out;
    std::set<std::string> known;
    auto add = [&](std::string object) {
      if (!object.empty() && out.size() < kMost && known.insert(object).second)
        out.push_back(std::move(object));
    };
    add(start);
    for (const Plan& plan : plans_) {
      if (setup_of(plan) != setup_) continue;
      add(object_of(start, plan));
      if (has_keys(plan)) add(object_of(start, plan, true));
    }
    for (const Path& path : reads_.paths) {
      if (out.size() >= kMost) break;
      if (path[0] == "kind" || path[0] == "apiVersion") continue;  // the rules decide these
      Path rooted = {std::string(kObjectRoot)};
      rooted.insert(rooted.end(), path.begin(), path.end());
      add(with_value(start, path, natural_at(kind_, rooted)));
      for (const std::string& value : values_) {
        if (out.size() >= kMost) break;
        if (may_hold(kind_, path, value)) add(with_value(start, path, value));
      }
      // What is looped over may be a map.
      for (const std::string& value : values_) {
        if (path.back() == kElement && value.starts_with('{'))
          add(with_value(start, Path(path.begin(), path.end() - 1), value));
      }
      // Where a field is absent its parents may be, too.
      for (size_t length = path.size() - 1; length > 0; length--)
        add(with_value(start, Path(path.begin(), path.begin() + static_cast<ptrdiff_t>(length)), ""));
    }
    return out;
  }

  // What a plan asks of the object; of the former state, which is all there is of one that is deleted.
  std::string object_of(const std::string& start, const Plan& plan, bool more_keys = false) const {
    std::string object = applied(start, plan, kObjectRoot, kind_, {}, more_keys);
    return kind_.operation == "DELETE" ? applied(object, plan, kOldRoot, kind_, {}, more_keys) : object;
  }
  // What a plan asks of the request and its namespace, beside what selectors ask for.
  Setup setup_of(const Plan& plan) const {
    Setup out = setup_;
    std::map<std::string, std::string> labels;
    for (const Want& want : plan) {
      const std::optional<std::string> text = text_in(want.json);
      if (!text || want.there) continue;
      const Path& path = want.path;
      if (path[0] == kRequestRoot && path.back() == "username" && path.size() == 3) out.user = *text;
      if (path[0] == kRequestRoot && path.size() == 4 && path[2] == "groups") out.groups = {*text};
      if (path[0] == kRequestRoot && path.size() == 2 && path[1] == "namespace" && !text->empty())
        out.namespace_name = *text;
      if (path[0] == kNamespaceRoot && path.size() == 3 && path[2] == "name" && !text->empty())
        out.namespace_name = *text;
      if (path[0] == kNamespaceRoot && path.size() == 4 && path[2] == "labels") labels[path[3]] = *text;
    }
    const std::string& name = out.namespace_name;
    for (const auto& [key, value] : labels)
      out.namespace_labels.push_back((name.empty() ? "default" : name) + ":" + key + "=" + value);
    return out;
  }
  // Plans that ask for another user or namespace, or another former state, which have sessions of their own.
  void try_plans(const std::string& start) {
    std::map<std::pair<Setup, std::string>, std::vector<std::string>> groups;
    for (const Plan& plan : plans_) {
      std::string object = object_of(start, plan), old;
      if (object.empty()) continue;
      const bool former =
          with_old() && std::ranges::any_of(plan, [](const Want& w) { return w.path[0] == kOldRoot; });
      if (former) {
        old = applied(start, plan, kOldRoot, kind_, object);
        object = applied(start, plan, kObjectRoot, kind_, old);
      }
      const Setup setup = setup_of(plan);
      if (!former && setup == setup_) continue;
      groups[{setup, old}].push_back(std::move(object));
    }
    const Setup before = setup_;
    apart_ = true;
    size_t tried = 0;
    for (const auto& [key, objects] : groups) {
      if (tried++ >= kMostSetups) break;
      setup_ = key.first;
      decide(objects, param_, key.second);
    }
    setup_ = before;
    apart_ = false;
  }

  // `old`: the former state of all objects; empty: each replaces itself.
  bool decide(const std::vector<std::string>& objects, const std::string& param,
              const std::string& old = {}) {
    Listening quiet;
    old_ = old;
    ReviewOptions options = options_;
    if (!old.empty()) options.old = {};
    options.user = setup_.user;
    options.groups = setup_.groups;
    if (!setup_.namespace_name.empty()) options.namespace_name = setup_.namespace_name;
    options.namespace_labels = setup_.namespace_labels;
    std::string text;
    for (const std::string& o : objects) text += o + "\n---\n";
    Inputs inputs;
    SessionObjects given{policies_, {}, {}, inputs.read_text(std::move(text), "candidates"), false};
    if (!param.empty()) given.params = inputs.read_text(std::string(param), "param");
    if (!old.empty()) given.old = inputs.read_text(std::string(old), "old");
    Session session(options);
    if (!session.accept_options()) return false;
    session.take(std::move(given));
    if (!session.know_kinds() || !session.check_policies()) {
      if (found_.tried == 0) keep_errors(quiet.messages);
      return false;
    }
    RequestMaker& maker = session.add_maker(Session::settings_of(options), session.old());
    for (const InputObject& o : session.manifests()) maker.add(o);
    if (!session.load()) return false;
    WebhookCallers callers({});
    suites::CaseTrace trace(nullptr);
    Decider decider(session, callers, false, &trace);
    decider.omit_reasons();
    const auto& requests = maker.requests();
    for (size_t i = 0; i < requests.size() && i < objects.size(); i++) {
      trace.begin();
      look_at(decider.decide(requests[i], maker), trace, objects[i]);
    }
    return true;
  }

  // What is said of candidates means nothing to the author of the policies, and shows lines of texts that end with
  // them.
  void keep_errors(std::vector<Message>& messages) {
    std::erase_if(messages, [&](const Message& m) {
      return std::ranges::none_of(policies_, [&](const InputObject& p) { return p.file->name == m.file; });
    });
    found_.errors = std::move(messages);
  }

  TriedObject tried(const std::string& object, bool allowed = true) const {
    return {object, kind_.operation, kind_.subresource, old_, setup_, allowed};
  }

  bool is_own(const ReviewFailure& f) const {
    return f.policy == policy_.name && f.mutating == is_mutating(policy_);
  }

  void look_at(const ReviewResult& r, const suites::CaseTrace& trace, const std::string& object) {
    found_.tried++;
    if (r.refusal) return void(errors_ += kRefused);
    size_t failures = 0, errors = 0;
    for (const ReviewFailure& f : r.failures) {
      failures += is_own(f);
      errors += is_own(f) && f.error;
    }
    errors_ += errors;
    if (errors > 0 && troubled_.size() < kMostTroubled) troubled_.push_back(object);
    if (is_mutating(policy_)) {
      if (failures == 0) keep_mutation(r, object);
    } else if (!trace.had_say(std::string(policy_.name), false)) {
      return;
    }
    for (const ReviewFailure& f : r.failures) {
      if (is_own(f) && f.validation >= 0 && !f.error) keep(f, object, failures);
    }
    if (failures == 0 && (!found_.passing || (r.allowed && !found_.passing->allowed)))
      found_.passing = tried(object, r.allowed);
    // A mutation that fails is nearer to one that changes something than match conditions that are false or fail.
    const bool idle = is_mutating(policy_) && !changes_own(r) &&
                      std::ranges::none_of(
                          r.failures, [&](const ReviewFailure& f) { return is_own(f) && f.mutation >= 0; });
    const size_t weight = failures * 2 + (errors > 0) + (idle ? kIdle : 0);
    if (weight < least_ && old_.empty() && !apart_) {
      least_ = weight;
      best_ = object;
    }
  }
  // Whether the mutating policy changed the object.
  bool changes_own(const ReviewResult& r) const {
    return std::ranges::any_of(
        r.changes, [&](const ReviewChange& c) { return c.policy == policy_.name && !c.differences.empty(); });
  }
  void keep_mutation(const ReviewResult& r, const std::string& object) {
    const bool own = changes_own(r);
    const auto is_better = [&](const std::optional<TriedObject>& known) {
      return !known || (r.allowed && !known->allowed);
    };
    if (!own && !r.after.is(Kind::Map) && is_better(found_.same)) found_.same = tried(object, r.allowed);
    if (!own || !is_better(found_.changed)) return;
    found_.changed = tried(object, r.allowed);
    mutated_ = with_changes(object, differences(r.before, r.after));
    found_.changes = suites::changes_json(differences(r.before, r.after));
  }
  static std::string with_changes(const std::string& object, const std::vector<Difference>& changes) {
    Arena arena;
    Result<Value> read = read_json(object, arena);
    if (!read.ok()) return {};
    Value out = *read;
    for (const Difference& d : changes) {
      const Result<Value> next = suites::with_path(out, d.path, d.after, arena);
      if (!next.ok()) return {};
      out = *next;
    }
    return to_json(out);
  }
  void keep(const ReviewFailure& f, const std::string& object, size_t failures) {
    auto known = found_.failing.find(f.validation);
    if (known == found_.failing.end() || failures < known->second.failures)
      found_.failing[f.validation] = {tried(object), f.message, f.denied, failures};
  }

  const InputObject& policy_;
  const std::vector<InputObject>& policies_;
  const Reads& reads_;
  const ObjectKind& kind_;
  const std::string given_param_;  // JSON of the param that is among `policies_`; empty: none
  std::string param_;              // JSON of the param that is made up; empty: none
  std::vector<std::string> values_;
  ReviewOptions options_;
  const bool fixed_param_;
  std::vector<Plan> plans_;
  std::string mutated_;  // an object that the mutating policy changes, with the changes
  Setup setup_;          // of the requests that are decided
  bool apart_ = false;   // whether it is another one than that of the search
  std::string old_;      // of the objects that are decided
  std::string best_;
  size_t least_ = SIZE_MAX;
  size_t errors_ = 0;                  // of the objects that were decided last
  std::vector<std::string> troubled_;  // objects of this round for which an expression fails to evaluate
  Found found_;
};

}  // namespace

Found search(const InputObject& policy, const std::vector<InputObject>& policies, const ObjectKind& kind,
             const Reads& reads, const Selected& selected, const Param& param) {
  const bool is_namespace = kind.api_version == "v1" && kind.kind == "Namespace";
  const Selected wanted = is_namespace ? selected.of_namespaces() : selected;
  std::string start = smallest(kind);
  if (!wanted.object_name.empty())
    start = with_value(start, {"metadata", "name"}, quote_json(wanted.object_name));
  for (const auto& [key, value] : wanted.object_labels)
    start = with_value(start, {"metadata", "labels", key}, quote_json(value));
  return Search(policy, policies, kind, reads, wanted, param).run(std::move(start));
}

}  // namespace portcullis::drafts
