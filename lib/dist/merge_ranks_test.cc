#include "lib/dist/merge_ranks.h"

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
  })pb";

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
  const auto merged = MergeRanks({point, point});
  ASSERT_THAT(merged, IsOk());
  EXPECT_THAT(merged->collective_wait_seconds(), EqualsProto("absent_reason: 'nothing was reduced'"));
}

TEST(MergeRanksTest, RefusesAPointOfNoMeasurement) {
  proto::ScalePoint point = Point(kRank0);
  point.clear_epoch_seconds();
  EXPECT_THAT(MergeRanks({point}), StatusIs(absl::StatusCode::kInternal, HasSubstr("without a timed epoch")));
}

TEST(MergeRanksTest, RefusesRanksThatDidNotDoTheSame) {
  proto::ScalePoint other = Point(kRank1);
  other.mutable_epoch_seconds()->add_value(1);
  EXPECT_THAT(MergeRanks({Point(kRank0), other}), StatusIs(absl::StatusCode::kInternal, HasSubstr("rank 1")));
  EXPECT_THAT(MergeRanks({}), StatusIs(absl::StatusCode::kInternal, HasSubstr("no rank")));
}

}  // namespace
}  // namespace lockstep
