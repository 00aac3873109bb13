// See search.h.
#include "cli/drafts/search.h"

#include <algorithm>
#include <set>

#include "cli/messages/messages.h"
#include "cli/session/decider.h"
#include "cli/suites/expect.h"

namespace portcullis::drafts {
namespace {

constexpr int kRounds = 6;
constexpr size_t kMost = 4000;  // candidates of a round

class Search {
 public:
  Search(const InputObject& policy, const std::vector<InputObject>& policies, const ObjectKind& kind,
         const Reads& reads)
      : policy_(policy), policies_(policies), reads_(reads), values_(values_for(reads)) {
    options_.operation = kind.operation;
    if (kind.operation == "UPDATE") options_.old = {"same"};
  }

  Found run(std::string start) {
    for (int round = 0; round < kRounds; round++) {
      best_ = {};
      least_ = SIZE_MAX;
      if (!decide(candidates(start))) break;
      if (best_.empty() || best_ == start) break;
      start = best_;
    }
    return std::move(found_);
  }

 private:
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
      // Where a field is absent its parents may be, too.
      for (size_t length = 1; length < path.size(); length++)
        add(with_value(start, Path(path.begin(), path.begin() + static_cast<ptrdiff_t>(length)), ""));
      for (const std::string& value : values_) add(with_value(start, path, value));
    }
    return out;
  }

  bool decide(const std::vector<std::string>& objects) {
    Listening quiet;
    std::string text;
    for (const std::string& o : objects) text += o + "\n---\n";
    Inputs inputs;
    SessionObjects given{policies_, {}, {}, inputs.read_text(std::move(text), "candidates"), false};
    Session session(options_);
    if (!session.accept_options()) return false;
    session.take(std::move(given));
    if (!session.know_kinds() || !session.check_policies()) return false;
    RequestMaker& maker = session.add_maker(Session::settings_of(options_), {});
    for (const InputObject& o : session.manifests()) maker.add(o);
    if (!session.load()) return false;
    WebhookCallers callers({});
    suites::CaseTrace trace(nullptr);
    Decider decider(session, callers, false, &trace);
    const auto& requests = maker.requests();
    for (size_t i = 0; i < requests.size() && i < objects.size(); i++) {
      trace.begin();
      look_at(decider.decide(requests[i], maker), trace, objects[i]);
    }
    return true;
  }

  void look_at(const ReviewResult& r, const suites::CaseTrace& trace, const std::string& object) {
    found_.tried++;
    if (r.refusal || !trace.had_say(std::string(policy_.name), false)) return;
    size_t failures = 0;
    bool errors = false;
    for (const ReviewFailure& f : r.failures) {
      if (f.policy != policy_.name || f.mutating) continue;
      failures++;
      errors |= f.error;
    }
    for (const ReviewFailure& f : r.failures) {
      const bool own = f.policy == policy_.name && !f.mutating && f.validation >= 0 && !f.error;
      if (own) keep(f, object, failures);
    }
    if (failures == 0 && !found_.passing) found_.passing = object;
    const size_t weight = failures * 2 + errors;
    if (weight < least_) {
      least_ = weight;
      best_ = object;
    }
  }
  void keep(const ReviewFailure& f, const std::string& object, size_t failures) {
    auto known = found_.failing.find(f.validation);
    if (known == found_.failing.end() || failures < known->second.failures)
      found_.failing[f.validation] = {object, f.message, f.denied, failures};
  }

  const InputObject& policy_;
  const std::vector<InputObject>& policies_;
  const Reads& reads_;
  const std::vector<std::string> values_;
  ReviewOptions options_;
  std::string best_;
  size_t least_ = SIZE_MAX;
  Found found_;
};

}  // namespace

Found search(const InputObject& policy, const std::vector<InputObject>& policies, const ObjectKind& kind,
             const Reads& reads) {
  return Search(policy, policies, kind, reads).run(smallest(kind));
}

}  // namespace portcullis::drafts
