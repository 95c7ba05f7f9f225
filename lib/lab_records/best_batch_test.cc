#include "lib/lab_records/best_batch.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

struct Times {
  uint32_t batch;
  std::vector<double> seconds;
};

std::string TextOf(const std::vector<Times>& all) {
  std::vector<proto::SweepPoint> points;
  for (const Times& times : all) {
    proto::SweepPoint& point = points.emplace_back();
    point.set_batch_size(times.batch);
    point.mutable_step_seconds()->mutable_value()->Add(times.seconds.begin(), times.seconds.end());
  }
  std::vector<const proto::SweepPoint*> pointers;
  for (const proto::SweepPoint& point : points) {
    pointers.push_back(&point);
  }
  return BestBatchText(pointers);
}

// The last batch is not the best one.
TEST(BestBatchTest, TheFastestIsNamedWhereverItStands) {
  EXPECT_EQ(TextOf({{32, {4, 4}}, {512, {2, 2}}, {2048, {3, 3}}}),
            "The best batch is 512: 2.000 [2.000, 2.000] times as fast as 32.");
  EXPECT_EQ(TextOf({{32, {2, 2}}, {512, {3, 3}}}), "The best batch is 32.");
}

TEST(BestBatchTest, BatchesWithinTheSpreadAreNamed) {
  EXPECT_EQ(
      TextOf({{32, {4, 4.2}}, {128, {2.0, 2.2}}, {512, {2.1, 1.9}}, {1024, {2.05, 2.05}}}),
      "The times are too noisy to name a fastest batch: the epochs of batches 512, 128 and 1024 overlap. Batch 512 "
      "is 2.05 [1.90, 2.21] times as fast as 32.");
  EXPECT_EQ(TextOf({{32, {4, 2}}, {128, {3, 2.9}}}),
            "The times are too noisy to name a fastest batch: the epochs of batches 128 and 32 overlap.");
}

TEST(BestBatchTest, NothingIsComparedThatWasTimedOnce) {
  EXPECT_EQ(TextOf({{32, {4}}, {128, {2}}}),
            "Batches cannot be compared after one timed epoch each; --repeats=5 measures the spread.");
  EXPECT_EQ(TextOf({{32, {4, 4}}}), "");
}

}  // namespace
}  // namespace lockstep
