// See all.h.
#include "cli/suites/all.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <optional>
#include <thread>

namespace portcullis::suites {
namespace {

using Clock = std::chrono::steady_clock;

bool is_good(const BatchResult& r) {
  return std::ranges::all_of(r.cases, [](const CaseResult& c) {
    return c.outcome == Outcome::Passed || c.outcome == Outcome::Skipped;
  });
}

class AllRun {
 public:
  AllRun(std::span<const std::unique_ptr<Suite>> suites, const AllOptions& options)
      : suites_(suites), options_(options) {
    for (const auto& suite : suites) {
      for (const Batch& batch : suite->batches) work_.push_back(&batch);
    }
    results_.resize(work_.size());
  }

  void run(const std::function<void(const SuiteResult&)>& done) {
    const size_t jobs =
        std::clamp<size_t>(static_cast<size_t>(options_.jobs), 1, std::max<size_t>(work_.size(), 1));
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < jobs; i++) threads.emplace_back([this] { work(); });
    size_t first = 0;
    for (const auto& suite : suites_) {
      SuiteResult r{suite.get(), {}};
      for (size_t i = 0; i < suite->batches.size(); i++) {
        if (std::optional<BatchResult> one = wait(first + i)) r.batches.push_back(std::move(*one));
      }
      first += suite->batches.size();
      if (!r.batches.empty()) done(r);
    }
  }

 private:
  void work() {
    for (size_t i; !stop_ && (i = next_++) < work_.size();) {
      BatchResult r = suites::run(*work_[i], options_.run, options_.observer);
      if (options_.fail_fast && !is_good(r)) stop_ = true;
      const std::lock_guard lock(mutex_);
      results_[i] = std::move(r);
      finished_++;
      changed_.notify_one();
    }
    const std::lock_guard lock(mutex_);
    idle_++;
    changed_.notify_one();
  }

  // The result of a batch; nothing if it was not begun.
  std::optional<BatchResult> wait(size_t i) {
    std::unique_lock lock(mutex_);
    const auto there = [&] { return results_[i].has_value() || idle_ == begun(); };
    while (!changed_.wait_for(lock, std::chrono::milliseconds(200), there)) tell_progress();
    return std::move(results_[i]);
  }
  size_t begun() const {
    return std::clamp<size_t>(static_cast<size_t>(options_.jobs), 1, std::max<size_t>(work_.size(), 1));
  }

  void tell_progress() {
    const auto now = Clock::now();
    if (!options_.progress || finished_ == 0 || now - told_ < std::chrono::seconds(1)) return;
    const auto remaining = (now - start_) / finished_ * (work_.size() - finished_);
    if (remaining < std::chrono::seconds(1)) return;
    told_ = now;
    std::fprintf(stderr, "%zu of %zu parts of suites\n", finished_, work_.size());
  }

  const std::span<const std::unique_ptr<Suite>> suites_;
  const AllOptions& options_;
  std::vector<const Batch*> work_;
  std::atomic<size_t> next_ = 0;
  std::atomic<bool> stop_ = false;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point told_ = start_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::optional<BatchResult>> results_;  // these three under the mutex
  size_t finished_ = 0, idle_ = 0;
};

}  // namespace

void run_all(std::span<const std::unique_ptr<Suite>> suites, const AllOptions& options,
             const std::function<void(const SuiteResult&)>& done) {
  AllRun(suites, options).run(done);
}

}  // namespace portcullis::suites
