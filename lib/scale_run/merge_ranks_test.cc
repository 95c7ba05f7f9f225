#include "lib/scale_run/merge_ranks.h"

#include <cmath>

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::EqualsProto;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

proto::ScalePoint Point(const std::string& text) {
  proto::ScalePoint point;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &point));
  return point;
}

constexpr char kRank0[] = R"pb(
  ranks: 2
  batch_per_device: 8
  steps_per_epoch: 4
  images_per_epoch: 30
  padded_images: 0
  epoch_seconds { value: 3 value: 4 }
  step_seconds { value: 2 value: 3 }
  data_wait_seconds { value: 0.5 value: 0.25 }
  exposed_seconds { value: -1 value: 0.5 }
  collective_busy_seconds { value: 1.5 value: 1 }
  step_trace {
    backward_seconds: [ 1, 1 ]
    exposed_seconds: [ -1, 0.5 ]
    busy_seconds: [ 1.5, 1 ]
  }
  epoch { mean_loss: 2 train_accuracy: 0.25 learning_rate: 0.1 }
  bucket { size_bytes: 40 }
  rank { rank: 0 }
  probe {
    size_bytes: 40
    seconds { value: 0.5 value: 1 }
  })pb";

constexpr char kRank1[] = R"pb(
  ranks: 2
  batch_per_device: 8
  steps_per_epoch: 4
  images_per_epoch: 30
  padded_images: 1
  epoch_seconds { value: 2 value: 5 }
  step_seconds { value: 2.5 value: 1 }
  data_wait_seconds { value: 0.75 value: 0 }
  exposed_seconds { value: -2 value: 1 }
  collective_busy_seconds { value: 1 value: 1.25 }
  step_trace {
    backward_seconds: [ 2, 2 ]
    exposed_seconds: [ -2, 1 ]
    busy_seconds: [ 1, 1.25 ]
  }
  epoch { mean_loss: 2 train_accuracy: 0.25 learning_rate: 0.1 }
  bucket { size_bytes: 40 }
  rank { rank: 1 }
  probe {
    size_bytes: 40
    seconds { value: 0.25 value: 2 }
  })pb";

// All values are multiples of 1/4: sums and means are exact.
constexpr char kMerged[] = R"pb(
  ranks: 2
  batch_per_device: 8
  steps_per_epoch: 4
  images_per_epoch: 60
  padded_images: 1
  epoch_seconds { value: 3 value: 5 }
  step_seconds { value: 2.5 value: 3 }
  data_wait_seconds { value: 0.75 value: 0.25 }
  exposed_seconds { value: -1 value: 1 }
  collective_busy_seconds { value: 1.5 value: 1.25 }
  collective_wait_seconds { value: 0.5 value: 0.25 }
  epoch { mean_loss: 2 train_accuracy: 0.25 learning_rate: 0.1 }
  bucket { size_bytes: 40 }
  rank { rank: 0 }
  rank { rank: 1 }
  probe {
    size_bytes: 40
    seconds { value: 0.5 value: 2 }
  }
  noise_warning: "timed epochs differ by 50 % (3 to 5 s): measure again on a quiet machine")pb";

// Returns a point of two ranks that share two cores for 10 s and preempt each other.
proto::ScalePoint PointWithNeighbours(uint32_t rank, const std::string& host, double others_cpu_seconds) {
  proto::ScalePoint point = Point(kRank0);
  point.mutable_rank(0)->set_rank(rank);
  point.mutable_rank(0)->set_host(host);
  proto::Neighbours& neighbours = *point.mutable_rank(0)->mutable_neighbours();
  neighbours.set_cores(2);
  neighbours.set_watched_seconds(10);
  neighbours.set_own_cpu_seconds(9);
  neighbours.set_forced_switches(1000);
  neighbours.set_others_cpu_seconds(others_cpu_seconds);
  point.mutable_epoch_seconds()->set_value(1, 3);
  return point;
}

TEST(MergeRanksTest, NamesTheRankWhoseValueNoRecordMayHold) {
  const auto merged_with = [](const std::string& more) {
    proto::ScalePoint other = Point(kRank1);
    EXPECT_TRUE(google::protobuf::TextFormat::MergeFromString(more, &other));
    return MergeRanks({Point(kRank0), other});
  };
  const std::string wrong[] = {"epoch { train_accuracy: 20.5 }", "epoch { train_accuracy: nan }",
                               "epoch { test_accuracy: -1 }",    "data_wait_seconds { value: -1 }",
                               "step_seconds { value: inf }",    "images_per_epoch: 0"};
  for (const std::string& more : wrong) {
    EXPECT_THAT(merged_with(more), StatusIs(absl::StatusCode::kInternal, HasSubstr("rank 1 of 2"))) << more;
  }
  proto::ScalePoint diverged = Point(kRank1);
  diverged.mutable_epoch(0)->set_mean_loss(std::nan(""));
  EXPECT_THAT(MergeRanks({Point(kRank0), diverged}), IsOk());
}

TEST(MergeRanksTest, RefusesTheMeasurementsOfAnotherRank) {
  EXPECT_THAT(MergeRanks({Point(kRank0), Point(kRank0)}),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("measurements of rank 1")));
}

TEST(MergeRanksTest, RanksOfOneHostAreNoNoise) {
  const auto quiet = MergeRanks({PointWithNeighbours(0, "a", 10), PointWithNeighbours(1, "a", 10)});
  ASSERT_THAT(quiet, IsOk());
  EXPECT_TRUE(quiet->noise_warning().empty()) << quiet->DebugString();
  const auto busy = MergeRanks({PointWithNeighbours(0, "a", 10), PointWithNeighbours(1, "a", 15)});
  ASSERT_THAT(busy, IsOk());
  ASSERT_EQ(busy->noise_warning_size(), 1);
  EXPECT_THAT(busy->noise_warning(0), HasSubstr("rank 1: other processes used 30 %"));
  const auto apart = MergeRanks({PointWithNeighbours(0, "a", 10), PointWithNeighbours(1, "b", 10)});
  ASSERT_THAT(apart, IsOk());
  EXPECT_EQ(apart->noise_warning_size(), 2);
}

TEST(MergeRanksTest, ARankWhoseGpuIsTooHotIsNamed) {
  std::vector<proto::ScalePoint> points = {Point(kRank0), Point(kRank1)};
  proto::DeviceWatch& watch = *points[1].mutable_rank(0)->mutable_device_watch();
  watch.set_readings(2);
  proto::ThrottleCount& throttle = *watch.add_throttle();
  throttle.set_reason("hw_slowdown");
  throttle.set_readings(1);
  const auto merged = MergeRanks(points);
  ASSERT_THAT(merged, IsOk());
  ASSERT_EQ(merged->noise_warning_size(), 2);
  EXPECT_THAT(merged->noise_warning(1), HasSubstr("rank 1: the GPU was slowed down by hw_slowdown in 1 of 2 readings"));
}

TEST(MergeRanksTest, TakesTheSlowestRankEpochByEpoch) {
  auto merged = MergeRanks({Point(kRank0), Point(kRank1)});
  ASSERT_THAT(merged, IsOk());
  EXPECT_EQ(merged->step_figures().busy_seconds().max_seconds(), 1.5);
  merged->clear_step_figures();
  for (proto::RankFacts& facts : *merged->mutable_rank()) {
    EXPECT_EQ(facts.last_count(), 1);
    facts.clear_last_count();
    facts.clear_step_means();
  }
  EXPECT_THAT(*merged, EqualsProto(kMerged));
}

TEST(MergeRanksTest, OneRankIsItself) {
  const auto merged = MergeRanks({Point(kRank0)});
  ASSERT_THAT(merged, IsOk());
  EXPECT_THAT(merged->epoch_seconds(), EqualsProto("value: 3 value: 4"));
  EXPECT_THAT(merged->collective_wait_seconds(), EqualsProto("value: 0 value: 0"));
}

TEST(MergeRanksTest, KeepsTheReasonForWhatIsAbsent) {
  proto::ScalePoint point = Point(kRank0);
  point.mutable_collective_busy_seconds()->Clear();
  point.clear_step_trace();
  point.mutable_collective_busy_seconds()->set_absent_reason("nothing was reduced");
  proto::ScalePoint other = point;
  other.mutable_rank(0)->set_rank(1);
  const auto merged = MergeRanks({point, other});
  ASSERT_THAT(merged, IsOk());
  EXPECT_THAT(merged->collective_wait_seconds(), EqualsProto("absent_reason: 'nothing was reduced'"));
}

TEST(MergeRanksTest, RefusesAPointOfNoMeasurement) {
  proto::ScalePoint point = Point(kRank0);
  point.clear_epoch_seconds();
  EXPECT_THAT(MergeRanks({point}), StatusIs(absl::StatusCode::kInternal, HasSubstr("no timed epoch")));
}

TEST(MergeRanksTest, RefusesRanksThatDidNotDoTheSame) {
  proto::ScalePoint other = Point(kRank1);
  other.mutable_epoch_seconds()->add_value(1);
  EXPECT_THAT(MergeRanks({Point(kRank0), other}), StatusIs(absl::StatusCode::kInternal, HasSubstr("rank 1")));
  EXPECT_THAT(MergeRanks({}), StatusIs(absl::StatusCode::kInternal, HasSubstr("no rank")));
}

}  // namespace
}  // namespace lockstep
