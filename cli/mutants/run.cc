// See run.h.
#include "cli/mutants/run.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <map>
#include <thread>
#include <tuple>

#include "admission/crd/rules.h"
#include "cli/cluster/cluster.h"
#include "manifests/definitions.h"

namespace portcullis {
namespace {

using Clock = std::chrono::steady_clock;
using Fate = MutantResult::Fate;

// A policy, binding or definition at one place, with the batches that have it.
struct Subject {
  const InputObject* object = nullptr;
  struct In {
    const suites::Batch* batch;
    const InputObject* object;                   // as the batch has it
    const std::set<const suites::Case*>* cases;  // those that reach the policy; null: none does
  };
  std::vector<In> in;
  bool versions = false;
  std::unique_ptr<crd::RuleMemo> rules = std::make_unique<crd::RuleMemo>();  // of the mutants of a definition
};

// The policy that an object is about, or the resource that it defines.
std::string key_of(const InputObject& object) {
  if (is_definition(object)) {
    const Value *group = find_path(object.value, "spec.group"),
                *plural = find_path(object.value, "spec.names.plural");
    const auto text = [](const Value* v) {
      return v != nullptr && v->is(Kind::String) ? v->as_text() : std::string_view();
    };
    return definition_key(text(group), text(plural));
  }
  return policy_key(role_of(object) == Role::Binding ? bound_policy(object) : object.name,
                    is_mutating(object));
}

// By file and place, so that a policy of many suites is one subject.
std::vector<Subject> subjects_of(std::span<const std::unique_ptr<suites::Suite>> suites,
                                 const ReachObserver& reach) {
  std::map<std::tuple<std::string, int, std::string>, Subject> found;
  for (const auto& suite : suites) {
    for (const suites::Batch& batch : suite->batches) {
      const auto add = [&](const InputObject& o) {
        if (role_of(o) != Role::Policy && role_of(o) != Role::Binding && !is_definition(o)) return;
        Subject& s = found[{o.file->name, o.document->index, o.path}];
        if (s.object == nullptr) s.object = &o;
        auto cases = reach.cases(batch).find(key_of(o));
        s.in.push_back({&batch, &o, cases == reach.cases(batch).end() ? nullptr : &cases->second});
        s.versions |= reach.has_versions(batch, o);
      };
      for (const InputObject& o : batch.policies) add(o);
      for (const InputObject& o : batch.params) add(o);
    }
  }
  std::vector<Subject> out;
  for (auto& [place, subject] : found) out.push_back(std::move(subject));
  return out;
}

class Trial {
 public:
  Trial(const Subject& subject, MutantResult& result) : subject_(subject), result_(result) {}

  void run() {
    Arena arena;
    bool refused = false;
    for (const Subject::In& in : subject_.in) {
      if (in.cases == nullptr && !result_.mutant.widens) continue;
      result_.reached = true;
      suites::Changed changed{in.object, *in.object};
      changed.by.value = edited(in.object->value, result_.mutant.edit, arena);
      changed.by.rule_memo = subject_.rules.get();
      const suites::BatchResult came = run(in, changed);
      const auto any = [&](suites::Outcome outcome) {
        return std::ranges::count(came.cases, outcome, &suites::CaseResult::outcome) > 0;
      };
      const bool failed = any(suites::Outcome::Failed);
      // Objects of a definition that is refused have no verdict, so no case of it passes.
      const bool is_refused = failed && is_definition(changed.by) && !is_accepted(changed.by);
      refused |= is_refused || any(suites::Outcome::Unusable);
      if (failed && !is_refused) {
        result_.fate = Fate::Noticed;
        return;
      }
    }
    if (refused) result_.fate = Fate::Refused;
  }

 private:
  suites::BatchResult run(const Subject::In& in, const suites::Changed& changed) const {
    suites::RunOptions options;
    options.stop_at_failure = options.quiet = true;
    if (!result_.mutant.widens)
      options.wanted = [&in](const suites::Case& test) { return in.cases->contains(&test); };
    return suites::run(*in.batch, options, nullptr, &changed);
  }

  static bool is_accepted(const InputObject& object) {
    Definitions definitions;
    definitions.add(object);
    const GivenDefinition& given = definitions.all().front();
    return given.established || given.first_error() == nullptr;
  }

  const Subject& subject_;
  MutantResult& result_;
};

class Run {
 public:
  Run(std::vector<Subject> subjects, const MutantOptions& options)
      : subjects_(std::move(subjects)), options_(options) {}

  MutantRun run() {
    list();
    {
      std::vector<std::jthread> threads;
      for (int i = 1; i < options_.jobs; i++) threads.emplace_back([this] { work(false); });
      work(options_.progress);
    }
    return std::move(out_);
  }

 private:
  void list() {
    std::vector<std::pair<const Subject*, Mutant>> all;
    for (const Subject& s : subjects_) {
      std::vector<Mutant> mutants = mutants_of(*s.object, s.versions);
      const size_t tried = std::min(mutants.size(), most_of(s, mutants));
      out_.of_large_definitions += mutants.size() - tried;
      for (size_t i = 0; i < tried; i++) all.emplace_back(&s, std::move(mutants[i * mutants.size() / tried]));
    }
    const size_t wanted = options_.most == 0 ? all.size() : std::min(options_.most, all.size());
    out_.left_out = all.size() - wanted;
    for (size_t i = 0; i < wanted; i++) {
      auto& [subject, mutant] = all[i * all.size() / wanted];
      of_.push_back(subject);
      out_.results.push_back({.mutant = std::move(mutant)});
    }
  }

  // Each mutant of a definition reads all of it again, for each batch with a case that reaches it, although it compiles one
  // rule: about 16 microseconds for each rule.
  static size_t most_of(const Subject& subject, const std::vector<Mutant>& mutants) {
    constexpr size_t kMostRead = 10'000'000, kLeast = 20;
    if (!is_definition(*subject.object)) return mutants.size();
    const auto rules = std::ranges::count(mutants, "validation", &Mutant::sort);  // each is left out once
    const auto batches =
        std::ranges::count_if(subject.in, [](const auto& in) { return in.cases != nullptr; });
    const auto read = static_cast<size_t>(rules * batches);
    return read == 0 ? mutants.size() : std::max(kLeast, kMostRead / read);
  }

  void work(bool tells) {
    const auto start = Clock::now();
    auto told = start;
    for (size_t i = next_++; i < of_.size(); i = next_++) {
      Trial(*of_[i], out_.results[i]).run();
      if (tells) tell(i + 1, start, told);
    }
  }

  void tell(size_t done, Clock::time_point start, Clock::time_point& told) const {
    const auto now = Clock::now();
    const auto remaining = (now - start) / done * (of_.size() - done);
    if (now - told < std::chrono::seconds(1) || remaining < std::chrono::seconds(1)) return;
    told = now;
    std::fprintf(stderr, "%zu of %zu mutants\n", done, of_.size());
  }

  const std::vector<Subject> subjects_;
  const MutantOptions& options_;
  std::vector<const Subject*> of_;  // by result
  std::atomic<size_t> next_ = 0;
  MutantRun out_;
};

}  // namespace

size_t MutantRun::count(Fate fate) const {
  return static_cast<size_t>(std::ranges::count(results, fate, &MutantResult::fate));
}

MutantRun run_mutants(std::span<const std::unique_ptr<suites::Suite>> suites, const ReachObserver& reach,
                      const MutantOptions& options) {
  return Run(subjects_of(suites, reach), options).run();
}

}  // namespace portcullis
