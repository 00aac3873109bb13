#include "cli/reading/ordered_work.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace portcullis {
namespace {

struct Job {
  int number = 0;
  std::string result = {};
};

// The results of jobs 0 to count - 1, in the order in which they were taken.
std::string results(int count, size_t threads, int bad = -1) {
  std::string out;
  int made = 0, taken = 0, most = 0;
  OrderedWork<Job> work(threads, {.make = [&]() -> std::unique_ptr<Job> {
                                    if (made == count) return nullptr;
                                    most = std::max(most, made + 1 - taken);
                                    return std::make_unique<Job>(Job{made++});
                                  },
                                  .work =
                                      [&](Job& job, size_t worker) {
                                        EXPECT_LT(worker, threads);
                                        if (job.number == bad) throw std::runtime_error("bad");
                                        volatile int sum = 0;  // later jobs are often done first
                                        for (int i = 0; i < (job.number * 7919) % 5000; i++) sum = sum + i;
                                        job.result = std::to_string(job.number);
                                      },
                                  .take =
                                      [&](Job& job) {
                                        taken++;
                                        out += job.result + " ";
                                      }});
  work.run();
  EXPECT_LE(most, static_cast<int>(threads) * 4 + 2);
  return out;
}

TEST(OrderedWork, KeepsTheOrder) {
  for (int count : {0, 1, 2, 8, 9, 500}) {
    std::string wanted;
    for (int i = 0; i < count; i++) wanted += std::to_string(i) + " ";
    for (size_t threads : {1, 2, 5}) EXPECT_EQ(results(count, threads), wanted) << count << " " << threads;
  }
}

TEST(OrderedWork, PassesExceptionsOn) {
  for (size_t threads : {1, 3}) EXPECT_THROW(results(100, threads, 42), std::runtime_error);
}

}  // namespace
}  // namespace portcullis
