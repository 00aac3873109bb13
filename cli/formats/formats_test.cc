// What all formats have in common.
#include "cli/formats/outcomes.h"

#include <gtest/gtest.h>

namespace portcullis::outcomes {
namespace {

TEST(Outcomes, TheGravestStatusIsThatOfTheRun) {
  outcomes::Run run;  // testing::Test has a Run of its own
  EXPECT_EQ(run.status(), Status::Passed);
  for (Status status : {Status::Skipped, Status::Warned, Status::Failed, Status::Error}) {
    run.items.push_back({.status = status});
    run.items.push_back({.status = Status::Passed});
    EXPECT_EQ(run.status(), status);
  }
  EXPECT_EQ(run.count(Status::Passed), 4u);
  EXPECT_EQ(run.count(Status::Error), 1u);
}

}  // namespace
}  // namespace portcullis::outcomes
