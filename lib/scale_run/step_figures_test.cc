#include "lib/scale_run/step_figures.h"

#include "google/protobuf/text_format.h"
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

// All values are multiples of 1/8, so sums and means are exact. Two epochs of two steps on three ranks. Rank 2 comes
// last in steps 0 and 3, rank 0 in step 1. In step 2 rank 0 and rank 1 wait equally long, and the first of them is
// taken.
const char kRank0[] = R"pb(
  collective_busy_seconds { value: 1.5 value: 1 }
  rank { rank: 0 }
  step_figures { source: "timed epochs" }
  step_trace {
    backward_seconds: [ 4, 4, 5, 4 ]
    exposed_seconds: [ 0.25, -0.125, 0.25, 0.25 ]
    busy_seconds: [ 1, 0.5, 0.25, 0.75 ]
  })pb";
const char kRank1[] = R"pb(
  collective_busy_seconds { value: 1.75 value: 0.75 }
  rank { rank: 1 }
  step_trace {
    backward_seconds: [ 3, 5, 4, 4 ]
    exposed_seconds: [ 0.5, -0.25, 0.5, 0.25 ]
    busy_seconds: [ 0.75, 1, 0.25, 0.5 ]
  })pb";
const char kRank2[] = R"pb(
  collective_busy_seconds { value: 1.25 value: 0.75 }
  rank { rank: 2 }
  step_trace {
    backward_seconds: [ 4, 4, 4, 6 ]
    exposed_seconds: [ 0.125, -0.5, 0.5, 0.125 ]
    busy_seconds: [ 0.25, 1, 0.5, 0.25 ]
  })pb";

std::vector<proto::ScalePoint> Points() { return {Point(kRank0), Point(kRank1), Point(kRank2)}; }

proto::ScalePoint Merged(const std::vector<proto::ScalePoint>& points) {
  proto::ScalePoint merged = points[0];
  merged.clear_rank();
  for (const proto::ScalePoint& point : points) {
    merged.mutable_rank()->MergeFrom(point.rank());
  }
  return merged;
}

TEST(StepFiguresTest, RanksAreComparedStepByStep) {
  proto::ScalePoint merged = Merged(Points());
  ASSERT_THAT(MergeSteps(Points(), merged), IsOk());
  EXPECT_FALSE(merged.has_step_trace());
  // Waits: rank 0 .75 0 0 .5; rank 1 .5 .5 0 .25; rank 2 0 .5 .25 0. Sums per epoch: .75 .5, 1 .25, .5 .25.
  EXPECT_THAT(merged.collective_wait_seconds(), EqualsProto("value: 1 value: 0.5"));
  EXPECT_EQ(merged.rank(0).last_count(), 2);
  EXPECT_EQ(merged.rank(1).last_count(), 0);
  EXPECT_EQ(merged.rank(2).last_count(), 2);
  EXPECT_EQ(merged.rank(0).step_means().wait_seconds(), 1.25 / 4);
  EXPECT_EQ(merged.rank(2).step_means().wait_seconds(), 0.75 / 4);
  const proto::StepFigures& figures = merged.step_figures();
  EXPECT_EQ(figures.source(), "timed epochs");
  EXPECT_EQ(figures.backward_seconds().max_seconds(), 6);
  EXPECT_EQ(figures.backward_seconds().min_seconds(), 4);
  EXPECT_EQ(figures.wait_seconds().mean_seconds(), 2.0 / 4);
}

// The largest exposed time of each step: .5, -.125, .5, .25.
TEST(StepFiguresTest, NegativeValuesAreShownAndCounted) {
  proto::ScalePoint merged = Merged(Points());
  ASSERT_THAT(MergeSteps(Points(), merged), IsOk());
  const proto::StepSpread& exposed = merged.step_figures().exposed_seconds();
  EXPECT_EQ(exposed.count(), 4);
  EXPECT_EQ(exposed.min_seconds(), -0.125);
  EXPECT_EQ(exposed.negative_count(), 1);
}

TEST(StepFiguresTest, SpreadByHand) {
  EXPECT_THAT(SpreadOfSteps({5, 1, 3}, ""), EqualsProto(R"pb(
                count: 3
                mean_seconds: 3
                deviation_seconds: 2
                min_seconds: 1
                p50_seconds: 3
                p90_seconds: 5
                p99_seconds: 5
                max_seconds: 5)pb"));
  EXPECT_EQ(SpreadOfSteps({7}, "").deviation_seconds(), 0);
  EXPECT_THAT(SpreadOfSteps({}, "left out"), EqualsProto("absent_reason: 'left out'"));
}

TEST(StepFiguresTest, WithoutSumsThereIsBackwardAlone) {
  proto::ScalePoint point = Point(R"pb(
    collective_busy_seconds { absent_reason: "left out" }
    rank { rank: 0 }
    step_trace { backward_seconds: [ 4, 5 ] })pb");
  proto::ScalePoint merged = Merged({point});
  ASSERT_THAT(MergeSteps({point}, merged), IsOk());
  EXPECT_EQ(merged.step_figures().backward_seconds().count(), 2);
  EXPECT_EQ(merged.step_figures().wait_seconds().absent_reason(), "left out");
  EXPECT_THAT(merged.collective_wait_seconds(), EqualsProto("absent_reason: 'left out'"));
}

TEST(StepFiguresTest, TheMeansOfATrace) {
  const proto::StepMeans means = MeansOf(Point(kRank0).step_trace());
  EXPECT_EQ(means.backward_seconds(), 4.25);
  EXPECT_EQ(means.exposed_seconds(), 0.625 / 4);
  EXPECT_EQ(means.busy_seconds(), 0.625);
}

TEST(StepFiguresTest, RefusesTracesOfOtherSteps) {
  std::vector<proto::ScalePoint> points = Points();
  proto::ScalePoint merged = Merged(points);
  points[1].mutable_step_trace()->add_busy_seconds(1);
  EXPECT_THAT(MergeSteps(points, merged), StatusIs(absl::StatusCode::kInternal, HasSubstr("rank 1 measured other")));
  points = Points();
  for (proto::ScalePoint& point : points) {
    point.mutable_collective_busy_seconds()->add_value(1);
  }
  EXPECT_THAT(MergeSteps(points, merged), StatusIs(absl::StatusCode::kInternal, HasSubstr("are not 3 whole epochs")));
}

}  // namespace
}  // namespace lockstep
