#include "lib/train/step_phases.h"

#include <cstddef>

#include "lib/fused/step_timestamps.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

std::vector<uint64_t> Numbers(const StepPhases& phases) {
  return {phases.batch, phases.forward, phases.backward, phases.join, phases.update, phases.between};
}

uint64_t Sum(const std::vector<StepPhases>& steps) {
  uint64_t sum = 0;
  for (const StepPhases& step : steps) {
    for (const uint64_t part : Numbers(step)) {
      sum += part;
    }
  }
  return sum;
}

TEST(StepPhasesTest, AnUpdateThatEndsBeforeTheNextStep) {
  const auto steps = ToStepPhases({100, 110, 130, 160, 165, 180, 190, 200, 220, 250, 255, 262});
  ASSERT_THAT(steps, IsOk());
  EXPECT_EQ(Numbers((*steps)[0]), (std::vector<uint64_t>{10, 20, 30, 5, 15, 10}));
  EXPECT_EQ(Numbers((*steps)[1]), (std::vector<uint64_t>{10, 20, 30, 5, 7, 0}));
  EXPECT_FALSE((*steps)[1].batch_overlaps_update);
  EXPECT_EQ(Sum(*steps), 262 - 100);
}

// The second batch is made from 170 to 185. The weights are ready at 182, so nothing waited for them.
TEST(StepPhasesTest, AnUpdateThatTheNextBatchHides) {
  const auto steps = ToStepPhases({100, 110, 130, 160, 165, 182, 170, 185, 220, 250, 255, 262});
  ASSERT_THAT(steps, IsOk());
  EXPECT_EQ(Numbers((*steps)[0]), (std::vector<uint64_t>{10, 20, 30, 5, 0, 5}));
  EXPECT_EQ(Numbers((*steps)[1]), (std::vector<uint64_t>{15, 35, 30, 5, 7, 0}));
  EXPECT_TRUE((*steps)[1].batch_overlaps_update);
  EXPECT_EQ(Sum(*steps), 262 - 100);
}

// The weights are ready at 196, 11 after the batch.
TEST(StepPhasesTest, AnUpdateThatIsLongerThanTheNextBatch) {
  const auto steps = ToStepPhases({100, 110, 130, 160, 165, 196, 170, 185, 220, 250, 255, 262});
  ASSERT_THAT(steps, IsOk());
  EXPECT_EQ(Numbers((*steps)[0]), (std::vector<uint64_t>{10, 20, 30, 5, 11, 5}));
  EXPECT_EQ(Numbers((*steps)[1]), (std::vector<uint64_t>{15, 24, 30, 5, 7, 0}));
  EXPECT_EQ(Sum(*steps), 262 - 100);
}

TEST(StepPhasesTest, RefusesWhatIsNoTableOfAClock) {
  EXPECT_THAT(ToStepPhases({}), StatusIs(absl::StatusCode::kInternal, HasSubstr("0 timestamps")));
  EXPECT_THAT(ToStepPhases({1, 2, 3}), StatusIs(absl::StatusCode::kInternal, HasSubstr("3 timestamps")));
  const std::vector<uint64_t> good = {100, 110, 130, 160, 165, 196, 170, 185, 220, 250, 255, 262};
  for (size_t i = 0; i < good.size(); ++i) {
    std::vector<uint64_t> unwritten = good;
    unwritten[i] = 0;
    EXPECT_EQ(ToStepPhases(unwritten).ok(), i == 0) << i;  // a first timestamp of 0 is valid: the clock starts there
  }
  std::vector<uint64_t> unawaited = good;
  unawaited[5] = 221;  // after the forward pass that reads the weights
  EXPECT_THAT(ToStepPhases(unawaited), StatusIs(absl::StatusCode::kInternal, HasSubstr("step 1")));
}

}  // namespace
}  // namespace lockstep
