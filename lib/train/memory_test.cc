#include "lib/train/memory.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

proto::SweepPoint Point(uint32_t batch, uint64_t predicted, uint64_t peak, uint64_t available) {
  proto::SweepPoint point;
  point.set_batch_size(batch);
  point.set_outcome(proto::COMPLETED);
  point.set_predicted_memory_bytes(predicted);
  point.set_timed_peak_memory_bytes(peak);
  point.set_available_memory_bytes(available);
  return point;
}

// 100 more images take 1,000 more bytes: 10 per image. 200 images took 2,500 of 3,005 bytes, so 50 more images fit.
TEST(GuessLargestBatchTest, FillsWhatIsLeftWithImages) {
  EXPECT_EQ(GuessLargestBatch({Point(100, 1000, 1500, 3005), Point(200, 2000, 2500, 3005)}), 250u);
  EXPECT_EQ(GuessLargestBatch({Point(200, 2000, 2500, 3005), Point(100, 1000, 1500, 3005)}), 250u);
}

// A captured step takes 2,000 bytes, of which the allocator counts only 400: 1,005 are left, not 2,605.
TEST(GuessLargestBatchTest, APeakBelowThePredictionIsNotBelieved) {
  EXPECT_EQ(GuessLargestBatch({Point(100, 1000, 300, 3005), Point(200, 2000, 400, 3005)}), 300u);
}

TEST(GuessLargestBatchTest, PointsThatDidNotCompleteReportNothing) {
  proto::SweepPoint failed = Point(800, 8000, 0, 0);
  failed.set_outcome(proto::OUT_OF_MEMORY);
  EXPECT_EQ(GuessLargestBatch({Point(100, 1000, 1500, 3005), Point(200, 2000, 2500, 3005), failed}), 250u);
}

TEST(GuessLargestBatchTest, GuessesNothingWithoutPredictionsOrRoom) {
  EXPECT_EQ(GuessLargestBatch({}), 0u);
  EXPECT_EQ(GuessLargestBatch({Point(200, 2000, 2500, 3005)}), 0u);
  EXPECT_EQ(GuessLargestBatch({Point(100, 0, 1500, 3005), Point(200, 0, 2500, 3005)}), 0u);  // a CPU has no prediction
  EXPECT_EQ(GuessLargestBatch({Point(100, 1000, 1500, 0), Point(200, 2000, 2500, 0)}), 0u);
  EXPECT_EQ(GuessLargestBatch({Point(100, 1000, 1500, 9), Point(200, 2000, 2500, 2499)}), 0u);
  EXPECT_EQ(GuessLargestBatch({Point(100, 2000, 1500, 9), Point(200, 2000, 2500, 9999)}), 0u);
  EXPECT_EQ(GuessLargestBatch({Point(200, 2000, 2500, 3005), Point(200, 2001, 2500, 3005)}), 0u);
}

TEST(GuessLargestBatchTest, AnAbsurdOneIsBounded) {
  EXPECT_EQ(GuessLargestBatch({Point(1, 1, 1, 1), Point(2, 2, 1, ~uint64_t{0})}), 4'294'967'295u);
}

}  // namespace
}  // namespace lockstep
