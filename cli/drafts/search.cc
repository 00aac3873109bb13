// See search.h.
#include "cli/drafts/search.h"

#include <algorithm>
#include <set>
#include <utility>

#include "admission/objects/difference.h"
#include "cli/messages/messages.h"
#include "cli/session/decider.h"
#include "cli/suites/changes.h"
#include "cli/suites/expect.h"

namespace portcullis::drafts {
namespace {

constexpr int kRounds = 6;
constexpr size_t kMost = 4000;  // candidates of a round
constexpr size_t kMostTroubled = 32;
constexpr size_t kRefused = 1000;  // penalty of a refused candidate, in expressions that fail to evaluate
constexpr size_t kIdle = 1000;     // weight of an object that a mutating policy leaves alone
constexpr size_t kMostOld = 64;    // former states of one object, each with a session of its own

class Search {
 public:
  Search(const InputObject& policy, const std::vector<InputObject>& policies, const ObjectKind& kind,
         const Reads& reads, const Selected& selected, const Param& param)
      : policy_(policy),
        policies_(policies),
        reads_(reads),
        kind_(kind),
        given_param_(param.there),
        param_(param.smallest) {
    options_.operation = kind.operation;
    if (kind.operation == "UPDATE") options_.old = {"same"};
    options_.subresource = kind.subresource;
    namespace_name_ = selected.namespace_name;
    if (!namespace_name_.empty()) options_.namespace_name = namespace_name_;
    options_.namespace_labels = selected.label_flags();
  }

  Found run(std::string start) {
    for (int round = 0; round < kRounds; round++) {
      // Where nothing fails to evaluate for the start, the param does not show in it.
      const bool tuned = tune_param(round == 0 ? std::vector{start} : troubled_);
      values_ = values_for(reads_, given_param_.empty() ? param_ : given_param_);
      best_ = {};
      least_ = SIZE_MAX;
      troubled_ = {};
      const std::vector<std::string> objects = candidates(start);
      if (!decide(objects, param_)) break;
      if (with_old() && !decide(objects, param_, start)) break;
      const bool may_tune = !param_.empty() && !troubled_.empty() && (round == 0 || tuned);
      if (best_.empty() || (best_ == start && !may_tune)) break;
      start = best_;
    }
    if (with_old()) {
      const std::vector<std::string> olds = candidates(start);
      for (size_t i = 0; i < std::min(olds.size(), kMostOld); i++) decide({start}, param_, olds[i]);
    }
    found_.param = param_;
    return std::move(found_);
  }

 private:
  bool with_old() const { return reads_.old && kind_.operation == "UPDATE"; }

  // Gives the param the values with which the fewest expressions fail to evaluate for these objects, one path after the
  // other. Whether that is another param than before.
  bool tune_param(const std::vector<std::string>& objects) {
    if (param_.empty() || objects.empty()) return false;
    const Found known = found_;
    const std::string before = param_;
    size_t least = SIZE_MAX;
    auto try_param = [&](const std::string& tried, std::string& chosen) {
      errors_ = 0;
      if (tried.empty() || !decide(objects, tried) || errors_ >= least) return;
      least = errors_;
      chosen = tried;
    };
    try_param(before, param_);
    for (const Path& path : reads_.param_paths) {
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

  std::vector<std::string> candidates(const std::string& start) {
    std::vector<std::string> out;
    std::set<std::string> known;
    auto add = [&](std::string object) {
      if (!object.empty() && out.size() < kMost && known.insert(object).second)
        out.push_back(std::move(object));
    };
    add(start);
    for (const Path& path : reads_.paths) {
      if (path[0] == "kind" || path[0] == "apiVersion") continue;  // the rules decide these
      for (const std::string& value : values_) add(with_value(start, path, value));
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

  // `old`: the former state of all objects; empty: each replaces itself.
  bool decide(const std::vector<std::string>& objects, const std::string& param,
              const std::string& old = {}) {
    Listening quiet;
    old_ = old;
    ReviewOptions options = options_;
    if (!old.empty()) options.old = {};
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

  // What is said of candidates means nothing to the author of the policies, and shows lines of texts that end with them.
  void keep_errors(std::vector<Message>& messages) {
    std::erase_if(messages, [&](const Message& m) {
      return std::ranges::none_of(policies_, [&](const InputObject& p) { return p.file->name == m.file; });
    });
    found_.errors = std::move(messages);
  }

  TriedObject tried(const std::string& object, bool allowed = true) const {
    return {object, kind_.operation, kind_.subresource, old_, namespace_name_, options_.namespace_labels,
            allowed};
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
    if (weight < least_ && old_.empty()) {
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
    if (!own && !r.after.is(Kind::Map) && !found_.same) found_.same = tried(object);
    if (!own || found_.changed) return;
    found_.changed = tried(object);
    found_.changes = suites::changes_json(differences(r.before, r.after));
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
  std::string namespace_name_;  // that selectors ask for
  std::string old_;             // of the objects that are decided
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
