#include "lib/train/step_parts.h"

#include <string>

#include "lib/fused/step_timestamps.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Two full steps and a shorter batch, on a clock with a resolution of 32 ns that does not start at 0.
const std::vector<uint64_t> kTimestamps = {
    1000,  1320,  4520,  10920, 11240, 11560,  // 320, 3200, 6400, 320, 320; then 640
    12200, 12552, 15752, 22152, 22152, 22472,  // 352, 3200, 6400, 0, 320; then 32
    22504, 22536, 22568, 22600, 22632, 22664,  // 32 each
};

TEST(StepPartsTest, PartsByHand) {
  const auto steps = ToInstrumentedSteps(kTimestamps, 2);
  ASSERT_THAT(steps, IsOk());
  std::vector<std::string> names;
  std::vector<double> epoch_nanoseconds;
  for (const proto::StepPart& part : steps->parts.part()) {
    names.push_back(part.name());
    epoch_nanoseconds.push_back(part.epoch_seconds() * 1e9);
  }
  EXPECT_THAT(names, ElementsAre("batch", "forward and loss", "backward", "rest of the second stream", "optimizer",
                                 "between steps"));
  EXPECT_THAT(epoch_nanoseconds, ElementsAre(DoubleNear(704, 1e-6), DoubleNear(6432, 1e-6), DoubleNear(12832, 1e-6),
                                             DoubleNear(352, 1e-6), DoubleNear(672, 1e-6), DoubleNear(672, 1e-6)));
  EXPECT_THAT(steps->full_seconds, ElementsAre(DoubleNear(10560e-9, 1e-15), DoubleNear(10272e-9, 1e-15)));
  EXPECT_DOUBLE_EQ(steps->parts.resolution_seconds(), 32e-9);
}

TEST(StepPartsTest, PercentilesAreOfFullSteps) {
  const auto steps = ToInstrumentedSteps(kTimestamps, 2);
  ASSERT_THAT(steps, IsOk());
  const proto::StepTimes& batch = steps->parts.part(0).full_steps();
  EXPECT_EQ(batch.count(), 2);
  EXPECT_DOUBLE_EQ(batch.min_seconds(), 320e-9);
  EXPECT_DOUBLE_EQ(batch.max_seconds(), 352e-9);
  EXPECT_EQ(steps->parts.part(5).full_steps().count(), 2);  // one after each of the two full steps, none after the last
                                                            // step
}

TEST(StepPartsTest, PartsLeaveNoGap) {
  const auto steps = ToInstrumentedSteps(kTimestamps, 2);
  ASSERT_THAT(steps, IsOk());
  double sum = 0;
  for (const proto::StepPart& part : steps->parts.part()) {
    sum += part.epoch_seconds();
  }
  EXPECT_THAT(sum, DoubleNear((22664 - 1000) * 1e-9, 1e-15));
}

TEST(StepPartsTest, OneFullStepHasNothingAfterIt) {
  const auto steps = ToInstrumentedSteps({kTimestamps.begin(), kTimestamps.begin() + kStepTimestamps}, 1);
  ASSERT_THAT(steps, IsOk());
  EXPECT_EQ(steps->parts.part(4).full_steps().count(), 1);
  EXPECT_EQ(steps->parts.part(5).full_steps().count(), 0);
  EXPECT_EQ(steps->parts.part(5).epoch_seconds(), 0);
}

TEST(StepPartsTest, RefusesWhatIsNoTableOfAClock) {
  EXPECT_THAT(ToInstrumentedSteps({}, 0), StatusIs(absl::StatusCode::kInternal, HasSubstr("0 timestamps")));
  EXPECT_THAT(ToInstrumentedSteps({1, 2, 3}, 0), StatusIs(absl::StatusCode::kInternal, HasSubstr("3 timestamps")));
  EXPECT_THAT(ToInstrumentedSteps(kTimestamps, 4), StatusIs(absl::StatusCode::kInternal, HasSubstr("the 4 full ones")));
  std::vector<uint64_t> broken = kTimestamps;
  broken[7] = 0;
  EXPECT_THAT(ToInstrumentedSteps(broken, 2),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("earlier than the one before")));
}

}  // namespace
}  // namespace lockstep
