// See definitions.h.
#include "cli/drafts/definitions.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "cli/drafts/natural.h"
#include "cli/drafts/objects.h"
#include "cli/drafts/plans.h"
#include "cli/drafts/reads.h"
#include "cli/drafts/schema_walk.h"
#include "cli/drafts/smallest.h"
#include "cli/messages/messages.h"
#include "cli/session/decider.h"
#include "cli/suites/expect.h"
#include "interpreter/values/json.h"
#include "manifests/definitions.h"
#include "manifests/namespaces.h"

namespace portcullis::drafts {
namespace {

constexpr int kMostRounds = 8;
constexpr size_t kMostWays = 3;         // in which all rules are mended at once
constexpr size_t kMostTried = 2000;     // candidates of a round
constexpr size_t kMostFormer = 32;      // former states of one object
constexpr size_t kMostBytes = 4 << 20;  // of the candidates of a round
constexpr size_t kMostOfSchema = 20;    // cases
constexpr size_t kMostOfReason = 500;   // bytes of what the server says
// The work of a search, where 1 is to read a byte of a candidate.
constexpr size_t kMostWork = 500 << 20;
constexpr size_t kWorkOfByte = 8;      // to decide it
constexpr size_t kWorkOfObject = 256;  // however small

// Objects to try, each once. Schemas can be wide and objects large, so their sum has a bound.
class Candidates {
 public:
  // `needed`: where all of them have something.
  explicit Candidates(size_t& work, Path needed = {}) : work_(work), needed_(std::move(needed)) {}
  // Whether no more are taken, or it is no use to make more.
  bool full() const { return list_.size() >= kMostTried || bytes_ >= kMostBytes || work_ >= kMostWork; }
  void add(std::string object) {
    if (full() || object.empty() || (!needed_.empty() && !has_value(object, needed_)) ||
        !known_.insert(object).second)
      return;
    bytes_ += object.size();
    list_.push_back(std::move(object));
  }
  // The object with one of the values at one of the paths.
  void add_neighbours(const std::string& start, const Reads& reads, const Path& self) {
    const auto make = [&](const Path& path, const std::string& value) {
      if (full()) return false;
      work_ += start.size() + value.size() + kWorkOfObject;
      std::string object = with_value(start, path, value);
      if (object != start) add(std::move(object));
      return true;
    };
    if (!self.empty() && !make(self, "{}")) return;
    const std::vector<std::string> values = values_for(reads);
    for (const Path& path : reads.paths) {
      for (const std::string& value : values) {
        if (!make(path, value)) return;
      }
    }
    for (const Path& path : reads.paths) {
      for (size_t length = 1; length < path.size(); length++) {
        if (!make(Path(path.begin(), path.begin() + static_cast<ptrdiff_t>(length)), "")) return;
      }
    }
  }
  // The object with what each plan asks for.
  void add_plans(const std::string& start, const std::vector<Plan>& plans, const ObjectKind& kind) {
    for (const Plan& plan : plans) {
      if (full()) return;
      work_ += (plan.size() + 1) * (start.size() + kWorkOfObject);
      add(applied(start, plan, kObjectRoot, kind));
      if (has_keys(plan)) add(applied(start, plan, kObjectRoot, kind, {}, true));
    }
  }
  const std::vector<std::string>& list() const { return list_; }

 private:
  size_t& work_;
  const Path needed_;
  size_t bytes_ = 0;
  std::vector<std::string> list_;
  std::set<std::string> known_;
};

// What came of an object.
struct Tried {
  bool refused = false;                  // there is no verdict
  std::string why;                       // of the server; empty: it is admitted
  std::vector<std::string> denials;      // the texts of its errors
  bool by_policies = false;              // whether the definition has none: what is beside it denies
  std::set<std::string> passed, denied;  // the paths of the rules that are true, and false
  bool allowed() const { return !refused && denials.empty(); }
};

// Of the objects that were tried, the one with the fewest denials.
struct Nearest {
  std::string object;
  size_t denials = SIZE_MAX;
  bool by_policies = false;              // whether these deny it, not the definition
  std::string why;                       // what the server says of it
  std::string refused;                   // why there is no verdict of any
  std::set<std::string> passed, denied;  // the paths of the rules that are true, and false
};

class RuleVerdicts final : public crd::RuleTrace {
 public:
  explicit RuleVerdicts(const crd::Definition& definition) {
    for (crd::PlacedRule& r : definition.rules()) paths_.emplace(r.compiled, std::move(r.path));
  }
  void evaluated(const crd::EvaluatedRule& e, crd::RuleReplay&) override {
    auto found = paths_.find(&e.rule);
    if (e.message || !e.value.is(Kind::Bool) || found == paths_.end()) return;
    (e.value.as_bool() ? passed : denied).insert(found->second);
  }
  std::set<std::string> passed, denied;

 private:
  std::map<const crd::CompiledRule*, std::string> paths_;
};

class Drafting {
 public:
  Drafting(const InputObject& definition, const Beside& beside) : definition_(definition), beside_(beside) {}

  DefinitionCases run(const std::vector<std::string>& known) {
    if (!read({})) return std::move(out_);
    const Nearest best = nearest(known);
    if (best.denials > 0) note_missing(best);
    if (best.denials > 0 && !best.by_policies) return std::move(out_);
    if (best.denials == 0) {
      passed_ = best.passed;
      add_case(kind_ + " is admitted", best.object, {}, {});
    }
    for (const Rule& rule : walk_.rules) add_rule(rule, best.object);
    work_ = 0;
    break_schema(best.object);
    return std::move(out_);
  }
  Example example(const std::string& api_version) {
    if (!read(api_version)) return {};
    return {nearest({}).object, schema_};
  }

 private:
  // The version; empty: the one that is stored.
  bool read(const std::string& api_version) {
    const std::span<const Value> versions = list_at(definition_.value, "spec.versions");
    kind_ = text_at("spec.names.kind");
    for (size_t i = 0; i < versions.size(); i++) {
      const Value& v = versions[i];
      const Value* stored = find_member(v, "storage", Kind::Bool);
      const std::string path = index("spec.versions", i) + ".schema.openAPIV3Schema";
      schema_ = find_path(definition_.value, path);
      const std::string name = text_at("spec.group") + "/" + std::string(text_member(v, "name"));
      const bool wanted = api_version.empty() ? stored != nullptr && stored->as_bool() : name == api_version;
      if (!wanted || schema_ == nullptr || !schema_->is(Kind::Map)) continue;
      walk_.visit(*schema_, path, {});
      path_ = path;
      of_ = {.api_version = name, .kind = kind_, .operation = "CREATE", .schema = schema_};
      has_status_ = find_path(v, "subresources.status") != nullptr;
      start_ = start();
      return true;
    }
    const std::string refusal = refusal_of();
    out_.missing.emplace_back("spec", refusal.empty() ? "no version that is stored has a schema" : refusal);
    return false;
  }
  // Why the API server refuses the definition; empty: it does not.
  std::string refusal_of() const {
    Definitions definitions;
    definitions.add(definition_);
    const std::string text = definitions.all().empty() ? "" : definitions.all().front().refusal();
    return text.empty() ? text : "the API server refuses the definition: " + text;
  }
  std::string text_at(std::string_view path) const {
    const Value* v = find_path(definition_.value, path);
    return v != nullptr && v->is(Kind::String) ? std::string(v->as_text()) : std::string();
  }
  // Optional or not, a spec belongs to an object.
  std::string start() const {
    std::string whole = smallest_of(*schema_);
    if (const Value* spec = find_path(*schema_, "properties.spec"); spec != nullptr && spec->is(Kind::Map))
      whole = with_value(whole, {"spec"}, smallest_of(*spec));
    whole = with_value(whole, {"apiVersion"}, quote_json(of_.api_version));
    whole = with_value(whole, {"kind"}, quote_json(kind_));
    return with_value(whole, {"metadata", "name"}, "\"example\"");
  }

  // Loads the definition, once. False if it cannot decide.
  bool open() {
    if (session_) return decider_.has_value();
    session_.emplace(options_);
    if (!session_->accept_options()) return false;
    std::vector<InputObject> params;
    for (const std::string& param : beside_.params) {
      for (InputObject& o : inputs_.read_text(std::string(param), "param")) params.push_back(std::move(o));
    }
    session_->take({.policies = beside_.objects, .params = std::move(params), .old = {}, .manifests = {}});
    if (!session_->know_kinds() || !session_->check_policies() || !session_->load()) return false;
    for (const GivenDefinition& g : session_->customs().given()) {
      if (g.object->document == definition_.document && g.object->path == definition_.path)
        own_ = g.definition.get();
    }
    if (own_ == nullptr) return false;
    decider_.emplace(*session_, callers_, false, nullptr);
    decider_->omit_reasons();
    return true;
  }

  // Decides each object, which replaces `old`, or what all replace; if both are empty, it is created.
  template <typename Each>
  void decide(const std::vector<std::string>& objects, const std::string& old, Each each) {
    if (ended()) return;
    Listening quiet;
    if (!open()) return;
    std::string text;
    for (const std::string& o : objects) {
      text += o + "\n---\n";
      work_ += kWorkOfByte * (o.size() + kWorkOfObject);
    }
    Arena arena;
    Inputs inputs;
    const Resources& resources = session_->cluster().resources();
    std::vector<InputObject> candidates = inputs.read_text(std::move(text), "candidates"), former;
    if (const std::string& replaced = old_of(old); !replaced.empty())
      former = inputs.read_text(std::string(replaced), "old");
    for (auto* list : {&candidates, &former}) settle(*list, resources, options_.namespace_name, arena);
    const RequestSettings settings = Session::settings_of(options_);
    RequestMaker maker(settings, resources, arena);
    maker.set_former(former);
    for (const InputObject& o : candidates) maker.add(o);
    RuleVerdicts rules(*own_);
    decider_->hear_rules(&rules);
    for (const Request& request : maker.requests()) {
      const auto number = static_cast<size_t>(request.object->document->index) - 1;
      if (!request.object->path.empty() || number >= objects.size()) continue;  // an element of a list
      rules.passed.clear();
      rules.denied.clear();
      const ReviewResult& r = decider_->decide(request, maker);
      Tried tried;
      tried.refused = r.refusal.has_value();
      tried.why = tried.refused ? r.refusal->text : r.message;
      tried.denials = suites::texts_of(r.invalid);
      tried.by_policies = !r.allowed && tried.denials.empty();
      if (tried.by_policies) tried.denials = {r.message};
      tried.passed = rules.passed;
      tried.denied = rules.denied;
      if (!each(objects[number], tried)) return;
    }
  }

  const std::string& old_of(const std::string& old) const { return old.empty() ? former_ : old; }
  void add_case(std::string name, const std::string& object, const std::string& old,
                std::vector<std::string> denials) {
    out_.cases.push_back({std::move(name), object, old_of(old), std::move(denials)});
  }

  // The nearest to an object that is admitted and has something at the path: of it and what the rules suggest, round by
  // round.
  Nearest approach(const std::string& start, const std::vector<const Rule*>& rules, const Path& at) {
    Nearest best{.object = start};
    const auto look = [&](const std::string& object, const Tried& t) {
      if (t.refused && object == start) best.refused = t.why;  // as all others are
      // Where the schema is not met, the rules are not checked, and may all fail.
      const bool unchecked = t.passed.empty() && t.denied.empty() && !t.denials.empty();
      const size_t denials = t.denials.size() + (unchecked ? walk_.rules.size() : 0);
      if (!t.refused && denials < best.denials)
        best = {.object = object,
                .denials = denials,
                .by_policies = t.by_policies,
                .why = t.why,
                .refused = {},
                .passed = t.passed,
                .denied = t.denied};
      return best.refused.empty() && best.denials > 0;
    };
    decide({start}, "", look);
    for (int round = 0; round < kMostRounds && best.refused.empty() && best.denials > 0; round++) {
      const size_t before = best.denials;
      // Those that fail are mended; of an object whose rules are not checked, all.
      std::vector<const Rule*> failing;
      for (const Rule* r : rules) {
        if (best.denied.contains(r->path)) failing.push_back(r);
      }
      if (failing.empty()) failing = rules;
      Reads reads;
      for (const Rule* r : failing) {
        reads.paths.insert(r->reads.paths.begin(), r->reads.paths.end());
        reads.constants.insert(r->reads.constants.begin(), r->reads.constants.end());
      }
      Candidates objects(work_, at);
      add_passing(objects, best.object, failing);
      objects.add_neighbours(best.object, reads, {});
      decide(objects.list(), "", look);
      if (best.denials == before) break;
    }
    return best;
  }

  // The nearest to an object that is admitted: from the smallest one, or from those that may be. If policies deny
  // whatever is created, all objects replace the nearest one from now on.
  Nearest nearest(const std::vector<std::string>& known) {
    std::vector<const Rule*> all;
    for (const Rule& r : walk_.rules) all.push_back(&r);
    Nearest best = approach(start_, all, {});
    for (const std::string& object : known) {
      if (best.denials == 0) break;
      if (Nearest other = approach(object, all, {}); other.denials < best.denials) best = std::move(other);
    }
    if (!best.by_policies || best.denials == 0) return best;
    former_ = best.object;
    if (Nearest updated = approach(best.object, all, {}); updated.denials == 0) return updated;
    former_.clear();
    return best;
  }

  void note_missing(const Nearest& best) {
    std::string text = best.refused;
    if (text.empty() && best.denials == SIZE_MAX) text = refusal_of();
    if (text.empty()) {
      text = "no object was found that this schema admits";
      if (best.by_policies) text = "no object was found that this schema and the policies beside it admit";
      std::string why = best.why;
      if (why.size() > kMostOfReason) {
        size_t end = kMostOfReason;
        while (end > 0 && (why[end] & 0xc0) == 0x80) end--;  // within a character
        why = why.substr(0, end) + "...";
      }
      if (!why.empty()) text += "; of the nearest one the API server says: " + why;
    }
    out_.missing.emplace_back(path_, std::move(text));
  }

  // Objects for which each rule holds, and some for which all of them do.
  void add_passing(Candidates& objects, const std::string& start, const std::vector<const Rule*>& rules) {
    std::array<std::string, kMostWays> all;
    all.fill(start);
    for (const Rule* rule : rules) {
      const std::vector<Plan> plans = plans_of_rule(rule->text, rule->at, of_, true);
      objects.add_plans(start, plans, of_);
      for (size_t i = 0; i < all.size() && !plans.empty(); i++) {
        const Plan& plan = plans[std::min(i, plans.size() - 1)];
        if (std::string next = applied(all[i], plan, kObjectRoot, of_); !next.empty())
          all[i] = std::move(next);
      }
    }
    for (std::string& object : all) objects.add(std::move(object));
  }

  // What is admitted, with something at the path; admitted too, if such an object is found.
  const std::string& grown(const std::string& admitted, const Path& at) {
    const auto [known, fresh] = grown_.try_emplace(at, with_steps(admitted, at, of_));
    if (!fresh || known->second == admitted) return known->second;
    std::vector<const Rule*> near;
    for (const Rule& r : walk_.rules) {
      const size_t common = std::min(r.at.size(), at.size());
      if (std::equal(at.begin(), at.begin() + static_cast<ptrdiff_t>(common), r.at.begin()))
        near.push_back(&r);
    }
    Nearest found = approach(known->second, near, at);
    if (found.denials == 0) known->second = std::move(found.object);
    return known->second;
  }

  // Those that can be created, and then updated.
  std::vector<std::string> stored(const std::vector<std::string>& objects) {
    std::vector<std::string> out;
    decide(objects, "", [&](const std::string& object, const Tried& t) {
      if (t.allowed()) out.push_back(object);
      return out.size() < kMostFormer;
    });
    return out;
  }

  bool ended() const { return work_ >= kMostWork; }

  // A case that fails the rule, and one that passes it unless the first case does.
  void add_rule(const Rule& rule, const std::string& admitted) {
    std::optional<DefinitionCase> failing, passing;
    const std::string name = kind_ + ", rule " + std::to_string(rule.index) + " of " + dotted(rule.at);
    const bool passes = passed_.contains(rule.path);
    auto look = [&](const std::vector<std::string>& objects, const std::string& old) {
      decide(objects, old, [&](const std::string& object, const Tried& t) {
        if (!passes && !passing && t.allowed() && t.passed.contains(rule.path))
          passing = {name + " passes", object, old_of(old), {}};
        if (t.denied.contains(rule.path) && !t.denials.empty() && !t.by_policies &&
            (!failing || t.denials.size() < failing->denials.size()))
          failing = {name, object, old_of(old), t.denials};
        return !failing || failing->denials.size() > 1 || !(passes || passing);
      });
    };
    if (has_status_ && !rule.at.empty() && rule.at[0] == "status") {
      out_.missing.emplace_back(rule.path + ".rule",
                                "no case is made for this rule, since only updates of the subresource "
                                "status reach it");
      return;
    }
    if (ended()) {
      out_.missing.emplace_back(rule.path + ".rule", "the search ended before this rule");
      return;
    }
    const std::string old = rule.reads.old ? admitted : "";
    const std::string& base = grown(admitted, rule.at);
    work_ += (rule.at.size() + 1) * base.size();
    Candidates one(work_);
    one.add(base);
    for (bool outcome : {false, true})
      one.add_plans(base, plans_of_rule(rule.text, rule.at, of_, outcome), of_);
    one.add_neighbours(base, rule.reads, rule.at);
    look(one.list(), old);
    for (const std::string& former :
         failing || !rule.reads.old ? std::vector<std::string>() : stored(one.list())) {
      if (!failing) look(one.list(), former);
    }
    if (!failing && !ended()) {
      Candidates two(work_);
      for (size_t i = 0; i < one.list().size() && !two.full(); i++)
        two.add_neighbours(one.list()[i], rule.reads, rule.at);
      look(two.list(), old);
    }
    if (passing) out_.cases.push_back(std::move(*passing));
    if (failing) out_.cases.push_back(std::move(*failing));
    if (ended() && !failing) {
      out_.missing.emplace_back(rule.path + ".rule",
                                "the search ended before an object was found that fails this rule");
      return;
    }
    if (!passes && !passing)
      out_.missing.emplace_back(rule.path + ".rule", "no object was found that passes this rule");
    if (!failing) out_.missing.emplace_back(rule.path + ".rule", "no object was found that fails this rule");
  }

  void break_schema(const std::string& admitted) {
    size_t made = 0;
    for (auto next = walk_.breaches.begin();
         next != walk_.breaches.end() && made < kMostOfSchema && !ended();) {
      std::vector<std::string> objects, names;
      size_t bytes = 0;
      for (; next != walk_.breaches.end() && objects.size() < kMostOfSchema && bytes < kMostBytes; ++next) {
        const Path above(next->at.begin(), next->at.end() - 1);
        std::string object = with_value(with_steps(admitted, above, of_), next->at, next->json);
        work_ += next->at.size() * (admitted.size() + kWorkOfObject);
        if (object.empty() || object == admitted) continue;
        bytes += object.size();
        objects.push_back(std::move(object));
        names.push_back(kind_ + (next->json.empty() ? " without " : ", " + next->keyword + " of ") +
                        dotted(next->at));
      }
      decide(objects, "", [&](const std::string& object, const Tried& t) {
        if (t.refused || t.by_policies || t.denials.size() != 1) return true;
        add_case(names[static_cast<size_t>(&object - objects.data())], object, {}, t.denials);
        return ++made < kMostOfSchema;
      });
    }
  }

  const InputObject& definition_;
  const Beside& beside_;
  Inputs inputs_;  // of params
  const ReviewOptions options_;
  WebhookCallers callers_{{}};
  std::optional<Session> session_;
  std::optional<Decider> decider_;
  const crd::Definition* own_ = nullptr;
  std::string former_;  // what all objects replace; empty: they are created
  const Value* schema_ = nullptr;
  SchemaWalk walk_;
  std::set<std::string> passed_;  // by the object that is admitted
  std::string kind_, path_, start_;
  ObjectKind of_;
  std::map<Path, std::string> grown_;  // by the path of `self`
  bool has_status_ = false;            // whether status is a subresource
  size_t work_ = 0;
  DefinitionCases out_;
};

}  // namespace

DefinitionCases cases_of(const InputObject& definition, const Beside& beside,
                         const std::vector<std::string>& known) {
  return Drafting(definition, beside).run(known);
}

Example example_of(const InputObject& definition, const Beside& beside, const std::string& api_version) {
  return Drafting(definition, beside).example(api_version);
}

}  // namespace portcullis::drafts
