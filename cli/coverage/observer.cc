// See observer.h.
#include "cli/coverage/observer.h"

namespace portcullis {

ReviewTrace* CoverageObserver::trace(const suites::Batch& batch, const Session& session) {
  auto made = std::make_unique<CoverageCollector>(
      coverage_.plan(session.cluster(), session.engine(), session.customs().given()));
  std::lock_guard lock(mutex_);
  return (collectors_[&batch] = std::move(made)).get();
}

crd::RuleTrace* CoverageObserver::rules(const suites::Batch& batch) { return &collector(batch).rules(); }

CoverageCollector& CoverageObserver::collector(const suites::Batch& batch) {
  std::lock_guard lock(mutex_);
  return *collectors_.at(&batch);
}

void CoverageObserver::decided(const suites::Decided& decided) {
  CoverageCollector& counts = collector(decided.batch);
  if (!decided.result.refusal) {
    counts.add(decided.decider.admission().mutation);
    counts.add(decided.decider.admission().decision);
  }
  counts.end_request(!decided.result.refusal);
}

void CoverageObserver::finish() {
  for (const auto& [batch, collector] : collectors_) coverage_.add(*collector->plan(), collector->counts());
  collectors_.clear();
}

}  // namespace portcullis
