#include "lib/scale_run/scale_plan.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/scaling/point_name.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

proto::ScaleSpec Spec(std::vector<uint32_t> ranks, std::vector<uint32_t> batches,
                      proto::BatchMode mode = proto::PER_DEVICE) {
  proto::ScaleSpec spec;
  spec.set_batch_mode(mode);
  spec.set_ablation(true);
  spec.mutable_ranks()->Add(ranks.begin(), ranks.end());
  spec.mutable_batch_size()->Add(batches.begin(), batches.end());
  return spec;
}

std::vector<std::string> Names(const std::vector<proto::ScalePoint>& points) {
  std::vector<std::string> names;
  for (const proto::ScalePoint& point : points) {
    names.push_back(PointName(point));
  }
  return names;
}

TEST(PlanPointsTest, MeasuresTheBaseCaseTwiceAndTheOthersWithAndWithoutAllReduce) {
  const auto points = PlanPoints(Spec({1, 2}, {32}), 1000);
  ASSERT_THAT(points, IsOk());
  EXPECT_THAT(
      Names(*points),
      ElementsAre("1 rank, batch 32 per device, plain", "1 rank, batch 32 per device, all-reduce",
                  "2 ranks, batch 32 per device, all-reduce", "2 ranks, batch 32 per device, all-reduce left out"));
}

TEST(PlanPointsTest, WithoutAblationThereIsOnlyWhatTrains) {
  proto::ScaleSpec spec = Spec({1, 2}, {32});
  spec.set_ablation(false);
  const auto points = PlanPoints(spec, 1000);
  ASSERT_THAT(points, IsOk());
  EXPECT_THAT(Names(*points),
              ElementsAre("1 rank, batch 32 per device, plain", "1 rank, batch 32 per device, all-reduce",
                          "2 ranks, batch 32 per device, all-reduce"));
}

TEST(PlanPointsTest, GoesBatchByBatch) {
  const auto points = PlanPoints(Spec({2, 4}, {8, 16}), 1000);
  ASSERT_THAT(points, IsOk());
  ASSERT_EQ(points->size(), 8u);
  EXPECT_EQ((*points)[0].ranks(), 2u);
  EXPECT_EQ((*points)[2].ranks(), 4u);
  EXPECT_EQ((*points)[2].batch_per_device(), 8u);
  EXPECT_EQ((*points)[4].batch_per_device(), 16u);
}

TEST(PlanPointsTest, CountsStepsAndPadding) {
  // 103 images on 4 ranks: shards of 26, one image more than the data set in total; ceil(26 / 10) steps.
  const proto::ScalePoint point = (*PlanPoints(Spec({4}, {10}), 103))[0];
  EXPECT_EQ(point.steps_per_epoch(), 3u);
  EXPECT_EQ(point.images_per_epoch(), 104u);
  EXPECT_EQ(point.padded_images(), 1u);
  EXPECT_EQ(point.global_batch(), 40u);
}

TEST(PlanPointsTest, DroppingTheTailLeavesWholeBatches) {
  proto::ScaleSpec spec = Spec({4}, {10});
  spec.mutable_training()->set_drop_last(true);
  const proto::ScalePoint point = (*PlanPoints(spec, 103))[0];  // shards of 25
  EXPECT_EQ(point.steps_per_epoch(), 2u);
  EXPECT_EQ(point.images_per_epoch(), 80u);
  EXPECT_EQ(point.padded_images(), 0u);
}

TEST(PlanPointsTest, AGlobalBatchIsShared) {
  const auto points = PlanPoints(Spec({1, 4}, {128}, proto::GLOBAL), 1000);
  ASSERT_THAT(points, IsOk());
  EXPECT_EQ((*points)[0].batch_per_device(), 128u);
  EXPECT_EQ((*points)[2].batch_per_device(), 32u);
  EXPECT_EQ((*points)[2].global_batch(), 128u);
}

TEST(PlanPointsTest, RefusesAGlobalBatchThatDoesNotDivide) {
  EXPECT_THAT(PlanPoints(Spec({3}, {128}, proto::GLOBAL), 1000),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("128 does not divide among 3 ranks")));
}

TEST(PlanPointsTest, ABatchMayBeAsLargeAsAShardButNoLarger) {
  EXPECT_THAT(PlanPoints(Spec({2}, {50}), 100), IsOk());
  EXPECT_THAT(
      PlanPoints(Spec({2}, {51}), 100),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("51 per device is larger than a rank's share of 50")));
}

TEST(PlanPointsTest, RefusesListsThatCannotBe) {
  EXPECT_THAT(PlanPoints(Spec({}, {1}), 10),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--ranks is empty")));
  EXPECT_THAT(PlanPoints(Spec({1}, {}), 10),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--batch_size is empty")));
  EXPECT_THAT(PlanPoints(Spec({0}, {1}), 10),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--ranks holds 0")));
  EXPECT_THAT(PlanPoints(Spec({1}, {2, 2}), 10), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("2 twice")));
}

TEST(ThreadsPerRankTest, SharesTheCores) {
  EXPECT_EQ(ThreadsPerRank(16, 4), 4u);
  EXPECT_EQ(ThreadsPerRank(10, 4), 2u);
  EXPECT_EQ(ThreadsPerRank(2, 4), 1u);
}

}  // namespace
}  // namespace lockstep
