// Work on a sequence of jobs by several threads, whose results are taken in the order of the sequence.
//
// Idea: one thread makes the jobs and takes them back; the others work. Of the jobs on the way there are at most a few
// for each thread, so memory does not grow with their number. A few jobs, or a single thread, need no other thread.
// Tested by cli/reading/ordered_work_test.cc.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace portcullis {

template <class Job>
class OrderedWork {
 public:
  struct Steps {
    std::function<std::unique_ptr<Job>()> make;         // null: there is none left
    std::function<void(Job& job, size_t worker)> work;  // on one of the threads, numbered from 0
    std::function<void(Job& job)> take;                 // after `work`, in the order of `make`
  };

  OrderedWork(size_t threads, Steps steps) : threads_(threads), steps_(std::move(steps)) {}

  // Does all jobs. An exception of a step ends it.
  void run() {
    for (size_t done = 0; threads_ == 1 || done < kAlone; done++) {
      std::unique_ptr<Job> job = steps_.make();
      if (job == nullptr) return;
      steps_.work(*job, 0);
      steps_.take(*job);
    }
    run_on_threads();
  }

 private:
  static constexpr size_t kAlone = 8;  // jobs before there are other threads, which cost a few of them
  static constexpr size_t kAhead = 4;  // jobs on the way for each thread

  struct Slot {
    std::unique_ptr<Job> job;
    bool done = false;
    std::exception_ptr error = nullptr;
  };

  void run_on_threads() {
    std::vector<std::jthread> threads;
    const Ending ending{*this};  // before the threads are joined
    auto add = [&](std::unique_ptr<Job> job) {
      hand_out(std::move(job));
      if (threads.size() < threads_) threads.emplace_back([this, i = threads.size()] { work(i); });
    };
    bool more = true;
    while (more || !slots_.empty()) {
      if (more && slots_.size() < kAhead * threads_) {
        std::unique_ptr<Job> job = steps_.make();
        more = job != nullptr;
        if (more) add(std::move(job));
        continue;
      }
      take_first();
    }
  }

  void hand_out(std::unique_ptr<Job> job) {
    {
      const std::lock_guard lock(mutex_);
      slots_.push_back({std::move(job)});
      waiting_.push_back(&slots_.back());
    }
    work_there_.notify_one();
  }

  void take_first() {
    {
      std::unique_lock lock(mutex_);
      work_done_.wait(lock, [&] { return slots_.front().done; });
    }
    Slot slot = std::move(slots_.front());
    {
      const std::lock_guard lock(mutex_);
      slots_.pop_front();
    }
    if (slot.error) std::rethrow_exception(slot.error);
    steps_.take(*slot.job);
  }

  void work(size_t worker) {
    for (;;) {
      Slot* slot = nullptr;
      {
        std::unique_lock lock(mutex_);
        work_there_.wait(lock, [&] { return ended_ || !waiting_.empty(); });
        if (ended_) return;
        slot = waiting_.front();
        waiting_.pop_front();
      }
      try {
        steps_.work(*slot->job, worker);
      } catch (...) {
        slot->error = std::current_exception();
      }
      {
        const std::lock_guard lock(mutex_);
        slot->done = true;
      }
      work_done_.notify_one();
    }
  }

  struct Ending {
    OrderedWork& all;
    ~Ending() {
      {
        const std::lock_guard lock(all.mutex_);
        all.ended_ = true;
      }
      all.work_there_.notify_all();
    }
  };

  const size_t threads_;
  const Steps steps_;
  std::mutex mutex_;
  std::condition_variable work_there_, work_done_;
  std::deque<Slot>
      slots_;  // of the jobs on the way, in their order; only ends change, so slots stay in place
  std::deque<Slot*> waiting_;  // those that nobody works on yet
  bool ended_ = false;
};

}  // namespace portcullis
