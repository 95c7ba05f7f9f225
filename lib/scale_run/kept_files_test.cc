#include "lib/scale_run/kept_files.h"

#include <sys/stat.h>

#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::testing::AllOf;
using ::testing::HasSubstr;

proto::ScalePoint Point(uint32_t ranks, uint32_t batch, proto::Reduction reduction) {
  proto::ScalePoint point;
  point.set_ranks(ranks);
  point.set_batch_per_device(batch);
  point.set_global_batch(ranks * batch);
  point.set_reduction(reduction);
  return point;
}

// Returns points with one and two ranks, with a batch of 8 and of 16.
std::vector<proto::ScalePoint> Points() {
  std::vector<proto::ScalePoint> points;
  for (const uint32_t batch : {8, 16}) {
    points.push_back(Point(1, batch, proto::PLAIN));
    points.push_back(Point(1, batch, proto::ALL_REDUCE));
    points.push_back(Point(2, batch, proto::ALL_REDUCE));
    points.push_back(Point(2, batch, proto::ABLATED));
  }
  return points;
}

ScaleRunOptions Options() {
  ScaleRunOptions options;
  options.output = "out.rec";
  options.checkpoint = "weights.pt";
  options.spec.set_batch_mode(proto::PER_DEVICE);
  return options;
}

size_t Chosen(const ScaleRunOptions& options, const std::vector<proto::ScalePoint>& points) {
  const absl::StatusOr<size_t> chosen = ChooseCheckpointPoint(options, points);
  EXPECT_THAT(chosen, IsOk());
  return chosen.value_or(99);
}

TEST(ChooseCheckpointPointTest, TakesTheMostRanksAndTheFirstBatchOrTheOneAskedFor) {
  ScaleRunOptions options = Options();
  EXPECT_EQ(Chosen(options, Points()), 2u);
  options.checkpoint_batch = 16;
  EXPECT_EQ(Chosen(options, Points()), 6u);
  options.spec.set_batch_mode(proto::GLOBAL);  // 8 images on each of two ranks
  EXPECT_EQ(Chosen(options, Points()), 2u);
  options.checkpoint.clear();
  EXPECT_EQ(Chosen(options, Points()), 8u);
}

TEST(ChooseCheckpointPointTest, OfOneRankItIsTheOneWithTheReducer) {
  EXPECT_EQ(Chosen(Options(), {Point(1, 8, proto::PLAIN), Point(1, 8, proto::ALL_REDUCE)}), 1u);
  EXPECT_EQ(Chosen(Options(), {Point(1, 8, proto::PLAIN)}), 0u);
}

TEST(ChooseCheckpointPointTest, OneFileIsOfOnePoint) {
  ScaleRunOptions options = Options();
  options.checkpoint_batch = 5;
  EXPECT_THAT(ChooseCheckpointPoint(options, Points()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--checkpoint_batch=5")));

  options = Options();
  options.spec.set_experiment(proto::SAMPLER_EPOCH);
  std::vector<proto::ScalePoint> rows(2, Point(2, 64, proto::ALL_REDUCE));
  rows[0].set_row("with");
  rows[1].set_row("without");
  EXPECT_THAT(ChooseCheckpointPoint(options, rows),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("2 points could write it: with, seed 0: 2 ranks"), HasSubstr("; without"))));
  rows.pop_back();
  EXPECT_EQ(Chosen(options, rows), 0u);
}

TEST(PointStatePathTest, EveryTrainingHasOneOfItsOwn) {
  ScaleRunOptions options = Options();
  EXPECT_EQ(PointStatePath(options, Points(), 0), "");
  options.resume = true;
  EXPECT_EQ(PointStatePath(options, Points(), 0), "out.rec.point1.state");
  EXPECT_EQ(PointStatePath(options, Points(), 6), "out.rec.point7.state");
  EXPECT_EQ(PointStatePath(options, Points(), 7), "");  // an ABLATED point is not a valid training
}

TEST(PointStatePathTest, APipeInItsPlaceIsRefused) {
  ScaleRunOptions options = Options();
  options.output = TempPath("kept.rec");
  options.resume = true;
  EXPECT_THAT(CheckStatePlaces(options, Points()), IsOk());
  ASSERT_EQ(mkfifo((options.output + ".point7.state").c_str(), 0600), 0);
  EXPECT_THAT(CheckStatePlaces(options, Points()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(".point7.state")));
}

// The cache key of a state covers its own point, but not the other points of the run.
TEST(StateHeaderTest, AnotherPointOrFlagIsAnotherKey) {
  proto::Header run;
  run.add_input()->set_sha256("data");
  proto::ScaleSpec spec;
  spec.add_ranks(2);
  const auto key = [&](const proto::ScaleSpec& of_run, const proto::ScalePoint& point) {
    return MakeStateHeader(run, of_run, point, "").cache_key();
  };
  const std::string first = key(spec, Point(2, 8, proto::ALL_REDUCE));
  proto::ScaleSpec more = spec;
  more.add_ranks(4);
  more.set_timeout_seconds(7);
  EXPECT_EQ(key(more, Point(2, 8, proto::ALL_REDUCE)), first);
  EXPECT_NE(key(spec, Point(4, 8, proto::ALL_REDUCE)), first);
  more.mutable_training()->set_learning_rate(0.5);
  EXPECT_NE(key(more, Point(2, 8, proto::ALL_REDUCE)), first);
  EXPECT_NE(MakeStateHeader(run, spec, Point(2, 8, proto::ALL_REDUCE), "other").cache_key(), first);
}

}  // namespace
}  // namespace lockstep
