#include "lib/scaling/ablation_split.h"

#include "google/protobuf/text_format.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

proto::ScalePoint Point(const std::string& text) {
  proto::ScalePoint point;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &point));
  return point;
}

// All times are multiples of 1/8, so sums and means are exact. Rank 1 waits less and computes more.
const char kReduced[] = R"pb(
  ranks: 2
  rank {
    rank: 0
    step_means { step_seconds: 10 forward_seconds: 2 backward_seconds: 5 exposed_seconds: 2 update_seconds: 0.5 }
  }
  rank {
    rank: 1
    step_means { step_seconds: 10 forward_seconds: 2.5 backward_seconds: 6 exposed_seconds: 1 update_seconds: 0.25 }
  })pb";
const char kAblated[] = R"pb(
  ranks: 2
  rank {
    rank: 0
    step_means { step_seconds: 7 forward_seconds: 2 backward_seconds: 4 update_seconds: 0.5 }
  }
  rank {
    rank: 1
    step_means { step_seconds: 7.5 forward_seconds: 2.25 backward_seconds: 5 update_seconds: 0.25 }
  }
  step_figures { backward_seconds { count: 2 p50_seconds: 5 } })pb";
const char kAlone[] = R"pb(ranks: 1
                           step_figures { backward_seconds { count: 2 p50_seconds: 5.25 } })pb";

TEST(SplitAblationTest, IsWhatEachPartIsLongerBy) {
  const proto::ScalePoint alone = Point(kAlone);
  const auto split = SplitAblation(Point(kReduced), Point(kAblated), &alone);
  ASSERT_THAT(split, IsOk());
  EXPECT_EQ(split->ablation_seconds, 2.75);  // 10 - 7.25
  EXPECT_EQ(split->exposed_seconds, 1.5);
  EXPECT_EQ(split->contention_seconds, 1);  // 5.5 - 4.5
  EXPECT_EQ(split->forward_seconds, 0.125);
  EXPECT_EQ(split->update_seconds, 0);
  EXPECT_EQ(split->rest_seconds, 0.125);
  EXPECT_EQ(split->alone_seconds, 0.25);
  EXPECT_EQ(split->ablation_seconds, split->exposed_seconds + split->contention_seconds + split->forward_seconds +
                                         split->update_seconds + split->rest_seconds);
}

TEST(SplitAblationTest, IsPrintedInMicroseconds) {
  AblationSplit split;
  split.ablation_seconds = 182e-6;
  split.exposed_seconds = 68e-6;
  split.contention_seconds = 111e-6;
  split.rest_seconds = 3e-6;
  EXPECT_EQ(AblationText(split),
            "without all-reduces a step is 182.0 us shorter: 68.0 exposed (by events, mean of the ranks), 111.0 "
            "backward, 0.0 forward, 0.0 update, 3.0 rest");
  split.alone_seconds = 58e-6;
  EXPECT_THAT(AblationText(split), HasSubstr("111.0 backward (58.0 on one rank, too), "));
  split.ablation_seconds = 0.182;
  split.alone_seconds = -0.058;
  EXPECT_THAT(AblationText(split),
              HasSubstr("a step is 182.0 ms shorter: 0.1 exposed (by events, mean of the ranks), 0.1 "
                        "backward (-58.0 on one"));
  split.exposed_seconds = -0.0012;
  EXPECT_THAT(AblationText(split), HasSubstr("shorter: exposed not measurable (below 0 by 1.2 ms), 0.1 backward"));
}

TEST(SplitAblationTest, WantsTheMeansOfEveryRank) {
  proto::ScalePoint without = Point(kAblated);
  without.mutable_rank(1)->clear_step_means();
  EXPECT_THAT(SplitAblation(Point(kReduced), without, nullptr),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("rank 1 of 2 has no means")));
  EXPECT_THAT(SplitAblation(Point(kReduced), proto::ScalePoint(), nullptr),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("without ranks")));
}

}  // namespace
}  // namespace lockstep
