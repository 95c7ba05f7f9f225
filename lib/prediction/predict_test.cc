#include "lib/prediction/predict.h"

#include <cmath>
#include <random>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/prediction/order_statistics.h"
#include "lib/prediction/workload.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

// Sums of a few doubles.
constexpr double kClose = 1e-12;

proto::ModelSpec Spec() {
  proto::ModelSpec spec;
  spec.set_confidence(0.95);
  spec.mutable_step_time()->set_median_error(0.05);
  spec.mutable_step_time()->set_worst_error(0.25);
  return spec;
}

ScalingTime TimeOf(uint32_t ranks, uint32_t batch, uint64_t images_per_rank, double seconds) {
  ScalingTime time;
  time.ranks = ranks;
  time.batch = batch;
  time.images_per_rank = images_per_rank;
  time.step_seconds = Known(seconds);
  time.epoch_seconds = Known(seconds);
  return time;
}

// 800 images, 10 per step of 1 s: 80 s on one device; a step on two devices takes 1.2 s.
ScalingTimes OneAndTwo() {
  ScalingTimes times;
  times.source = "by hand";
  times.training_images = 800;
  times.gradient_bytes = 100;
  times.times = {TimeOf(1, 10, 800, 80), TimeOf(2, 10, 400, 48)};
  return times;
}

proto::Prediction PredictFour(const ScalingTimes& times, const AllReduceTime& all_reduce, uint32_t batch = 10) {
  const auto curve = MakeStepCurve(times, Spec().step_time());
  EXPECT_THAT(curve, IsOk());
  return Predict(times, *curve, all_reduce, Spec(), 4, batch);
}

// 20 steps of 1 s, and 0.2 s of each step carried over. The rest is between 0 and E[max of 4]/E[max of 2] = 1.8246
// times its 4 s, with a standard deviation of 7.298/sqrt(12) s; two-sided normal 95 %: 1.959964.
TEST(PredictTest, TakesAlongWhatTwoDevicesShow) {
  const proto::Prediction p = PredictFour(OneAndTwo(), AllReduceTime({}, {}));
  EXPECT_NEAR(p.epoch_seconds().value(), 24, kClose);
  EXPECT_NEAR(p.epoch_seconds().high() - 24, 1.959964 * 4 * (1.0293753730 / 0.5641895835) / std::sqrt(12), 1e-5);
  EXPECT_NEAR(p.compute_seconds().value(), 20, kClose);
  EXPECT_NEAR(p.overhead_seconds().value(), 4, kClose);
  EXPECT_NEAR(p.epoch_speedup().value(), 80.0 / 24, kClose);
  EXPECT_NEAR(p.null_epoch_seconds().value(), 20, kClose);
  EXPECT_THAT(p.exposed_seconds().absent_reason(), HasSubstr("no buckets"));
  EXPECT_EQ(p.epoch_seconds().provenance(), proto::MODELLED);
}

// 4 devices have 205 images each: 20 steps and a tail of 5, whose treatment a table does not say. The tail is between a
// smaller step of 0.5 s and a whole step of 1 s: 0.75 s +- 0.25 s.
TEST(PredictTest, AnUnknownTailIsInTheInterval) {
  ScalingTimes times = OneAndTwo();
  times.training_images = 820;
  times.times = {TimeOf(1, 10, 820, 82), TimeOf(2, 10, 410, 41), TimeOf(1, 5, 820, 82)};
  times.tail = Tail::kUnknown;
  const proto::Prediction p = PredictFour(times, AllReduceTime({}, {}));
  EXPECT_NEAR(p.compute_seconds().value(), 20.75, kClose);
  EXPECT_NEAR(p.epoch_seconds().value(), 20.75, kClose);
  EXPECT_NEAR(p.epoch_seconds().high() - 20.75, 1.959964 * 0.5 / std::sqrt(12), 1e-5);
}

TEST(PredictTest, TakesExposedCommunicationFromTheLink) {
  ScalingTimes times = OneAndTwo();
  times.times[1].buckets = {{60, 0.3}, {40, 0.6}};
  // 2 devices: one second per 1000 bytes. Exposed: 0.04 s per step, 1.6 s for 40 steps; 4 devices by a ring's ratio of
  // 1.5: 0.06 s.
  const AllReduceTime link({{2, [](double bytes) { return Known(bytes / 1000); }}}, {});
  const proto::Prediction p = PredictFour(times, link);
  EXPECT_NEAR(p.exposed_seconds().value(), 20 * 0.06, kClose);
  EXPECT_NEAR(p.overhead_seconds().value(), 20 * 0.16, kClose);
  EXPECT_NEAR(p.epoch_seconds().value(), 20 * (1 + 0.06 + 0.16), kClose);
}

TEST(PredictTest, StragglersGrowWithTheDevices) {
  ScalingTimes times = OneAndTwo();
  times.times[1].wait_seconds = 8;  // wait of an epoch; a step waits half of it
  const proto::Prediction p = PredictFour(times, AllReduceTime({}, {}));
  const double growth = ExpectedMaximum(4) / ExpectedMaximum(2);
  EXPECT_NEAR(p.straggler_seconds().value(), growth * 4 / 2, kClose);  // half as many steps
  EXPECT_NEAR(p.overhead_seconds().value(), (8 - 4) / 2.0, kClose);
}

TEST(PredictTest, StragglersTakeNoMoreThanThereIs) {
  ScalingTimes times = OneAndTwo();
  times.times[1].wait_seconds = 1000;
  EXPECT_NEAR(PredictFour(times, AllReduceTime({}, {})).overhead_seconds().value(), 0, kClose);
}

TEST(PredictTest, LoadingKeepsItsTimePerStep) {
  ScalingTimes times = OneAndTwo();
  times.times[1].epoch_seconds = Known(52);  // 0.1 s per step
  EXPECT_NEAR(PredictFour(times, AllReduceTime({}, {})).epoch_seconds().value(), 26, kClose);
}

TEST(PredictTest, FromOneDeviceItNeedsTheReducersCostAndALink) {
  ScalingTimes times = OneAndTwo();
  times.times.resize(1);
  EXPECT_THAT(PredictFour(times, AllReduceTime({}, {})).refused(), HasSubstr("not through the reducer"));
  times.times[0].reducer_seconds = Known(8);  // 0.1 s per step
  EXPECT_THAT(PredictFour(times, AllReduceTime({}, {})).refused(), HasSubstr("no all-reduce was timed"));
  EXPECT_THAT(PredictFour(times, AllReduceTime({}, {}, "no fit was accepted")).refused(),
              HasSubstr("no fit was accepted"));
  times.times[0].buckets = {{100, 0.5}};
  const AllReduceTime link({}, {{2, 100, Known(0.02)}});
  const proto::Prediction p = PredictFour(times, link);
  EXPECT_EQ(p.refused(), "");
  EXPECT_NEAR(p.epoch_seconds().value(), 20 * (1 + 0.1 + 0.03), kClose);
  // The interval includes the unseen rest: 2 % of the steps.
  EXPECT_GT(p.epoch_seconds().high(), p.epoch_seconds().value() + 2 * 0.02 * 20 * 0.9);
}

// Three buckets of a third each, all ready at once: each takes 0.02 s with an uncertainty of 10 %, and nothing is
// hidden. If the fit is too high for one bucket, it is too high for all: the standard deviation of a step is 3 * 0.002
// s.
TEST(PredictTest, BucketsThatDoNotHideAreUncertainTogether) {
  ScalingTimes times = OneAndTwo();
  times.times.resize(1);
  times.times[0].reducer_seconds = Known(0);
  const AllReduceTime link({}, {{4, 100, Known(0.02, 0.002 * 0.002)}});
  const auto width_with = [&](double first_ready) {
    times.times[0].buckets = {{100, first_ready}, {100, first_ready}, {100, 0.5}};
    const proto::Prediction p = PredictFour(times, link);
    return p.exposed_seconds().high() - p.exposed_seconds().value();
  };
  constexpr double kNormal95 = 1.959964;
  EXPECT_NEAR(width_with(0.5), kNormal95 * 20 * 3 * 0.002, 1e-6);
  EXPECT_NEAR(width_with(0.1), kNormal95 * 20 * 0.002, 1e-6);  // the others are hidden
}

TEST(PredictTest, OneRankOnACpuPredictsNothingForSeveral) {
  ScalingTimes times = OneAndTwo();
  times.ranks_share_a_host_cpu = true;
  EXPECT_EQ(PredictFour(times, AllReduceTime({}, {})).refused(), "");  // the run of two shows the cost of sharing
  times.cpu_cores = 3;
  EXPECT_THAT(PredictFour(times, AllReduceTime({}, {})).refused(),
              AllOf(HasSubstr("would share 3 cores"), HasSubstr("--what_if=4 --devices_per_host=1")));
  times.cpu_cores = 4;
  EXPECT_EQ(PredictFour(times, AllReduceTime({}, {})).refused(), "");
  times.times.resize(1);
  times.times[0].reducer_seconds = Known(8);
  EXPECT_THAT(PredictFour(times, AllReduceTime({}, {{2, 100, Known(0.02)}})).refused(), HasSubstr("ranks on a CPU"));
}

// The rule of --what_if is that of predictions, for the ranks of each host.
TEST(PredictTest, RanksOfAHostShareItsCpuInACluster) {
  ScalingTimes times = OneAndTwo();
  EXPECT_THAT(CheckSharedCpu(times, 8, 64), IsOk());  // devices of their own
  times.ranks_share_a_host_cpu = true;
  times.cpu_cores = 4;
  EXPECT_THAT(CheckSharedCpu(times, 4, 64), IsOk());
  EXPECT_THAT(
      CheckSharedCpu(times, 8, 64),
      StatusIs(absl::StatusCode::kInvalidArgument, AllOf(HasSubstr("--devices_per_host=8: 8 ranks would share 4 cores"),
                                                         HasSubstr("; or give --devices_per_host=1"))));
  EXPECT_THAT(CheckSharedCpu(times, 8, 4), IsOk());  // never more than four of them
  times.times.resize(1);
  EXPECT_THAT(CheckSharedCpu(times, 2, 64), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("ranks on a CPU")));
  EXPECT_THAT(CheckSharedCpu(times, 1, 64), IsOk());
}

TEST(PredictTest, AHostStartsFromRunsOfAtMostItsRanks) {
  ScalingTimes times = OneAndTwo();
  EXPECT_EQ(TimesForHosts(times, 1).times.size(), 2u);  // devices of their own
  times.ranks_share_a_host_cpu = true;
  times.cpu_cores = 4;
  EXPECT_EQ(TimesForHosts(times, 2).times.size(), 2u);
  ASSERT_EQ(TimesForHosts(times, 1).times.size(), 1u);
  EXPECT_EQ(TimesForHosts(times, 1).times[0].ranks, 1u);
  times.times[1].ranks = 4;  // runs of one and of four do not show how two share
  EXPECT_THAT(CheckSharedCpu(times, 2, 64), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("run 2")));
  EXPECT_THAT(CheckSharedCpu(times, 4, 64), IsOk());
}

TEST(PredictTest, ABatchThatWasNotRunStartsFromTheNearest) {
  ScalingTimes times = OneAndTwo();
  times.times.push_back(TimeOf(1, 40, 800, 50));                              // 20 steps of 2.5 s, hence 2 s at 30
  const proto::Prediction p = PredictFour(times, AllReduceTime({}, {}), 20);  // 1.5 s; 200 images: 10 steps
  EXPECT_EQ(p.refused(), "");
  EXPECT_NEAR(p.epoch_seconds().value(), 10 * (1.5 + 0.2), 1e-9);
  EXPECT_FALSE(p.null_epoch_seconds().has_value());
}

TEST(PredictTest, RefusesABatchBeyondTheCurve) {
  const proto::Prediction p = PredictFour(OneAndTwo(), AllReduceTime({}, {}), 20);
  EXPECT_THAT(p.refused(), HasSubstr("was not timed at batch 20"));
  EXPECT_FALSE(p.epoch_seconds().has_value());
  EXPECT_THAT(p.epoch_seconds().absent_reason(), HasSubstr("was not timed at batch 20"));
  EXPECT_THAT(p.nccl_exposed_seconds().absent_reason(), HasSubstr("was not timed at batch 20"));
}

TEST(PredictTest, ACurveThatFailsItsTestPredictsNoOtherBatch) {
  ScalingTimes times = OneAndTwo();
  times.times.push_back(TimeOf(1, 20, 800, 160));  // 4 s; left out, 1.5 s are expected
  times.times.push_back(TimeOf(1, 40, 800, 50));
  EXPECT_THAT(PredictFour(times, AllReduceTime({}, {}), 30).refused(), HasSubstr("fails its test"));
  EXPECT_EQ(PredictFour(times, AllReduceTime({}, {}), 10).refused(), "");  // measured itself
}

TEST(PredictTest, HoldsOutMoreDevices) {
  ScalingTimes times = OneAndTwo();
  times.probes = {{2, 100, Known(1)}, {4, 100, Known(2)}};
  const ScalingTimes kept = UpTo(times, 1);
  EXPECT_EQ(kept.times.size(), 1u);
  EXPECT_TRUE(kept.probes.empty());
}

TEST(PredictTest, ScoresAgainstWhatWasMeasured) {
  proto::Prediction p = PredictFour(OneAndTwo(), AllReduceTime({}, {}));
  ScorePrediction(Known(25), proto::MEASURED, p);
  EXPECT_NEAR(p.relative_error(), 24.0 / 25 - 1, kClose);
  EXPECT_NEAR(p.null_relative_error(), 20.0 / 25 - 1, kClose);
  EXPECT_TRUE(p.inside_interval());
  ScorePrediction(Known(240), proto::PUBLISHED, p);
  EXPECT_FALSE(p.inside_interval());
  EXPECT_EQ(p.measured_epoch_seconds().provenance(), proto::PUBLISHED);
}

// 1,000 trials: a device whose step takes 1 s, runs that differ by 0.5 %, and a rest that is anything from 0 to its
// growth. A 95 % interval must contain the fourth run's time in at least 93 % of the trials. The share's own standard
// deviation is 0.7 points; if the uniform rest dominates, a normal interval covers more than its confidence.
TEST(PredictTest, IntervalsHoldAtTheirStatedRate) {
  std::mt19937_64 random(20261122);
  std::normal_distribution<double> run_to_run(1, 0.005);
  std::uniform_real_distribution<double> rest_share(0, 1);
  proto::ModelSpec spec = Spec();
  spec.set_run_to_run_fraction(0.005);
  const double growth = ExpectedMaximum(4) / ExpectedMaximum(2);
  int held = 0;
  constexpr int kTrials = 1000;
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto with_variance = [&](double seconds) {
      const double value = seconds * run_to_run(random);
      return Known(value, 0.005 * value * 0.005 * value);
    };
    ScalingTimes times = OneAndTwo();
    times.times[0].step_seconds = times.times[0].epoch_seconds = with_variance(80);
    times.times[1].step_seconds = times.times[1].epoch_seconds = with_variance(40.4);
    const double truth = 20 * (1 + 0.01 * growth * rest_share(random)) * run_to_run(random);
    const auto curve = MakeStepCurve(times, Spec().step_time());
    const proto::Prediction p = Predict(times, *curve, AllReduceTime({}, {}), spec, 4, 10);
    held += p.epoch_seconds().low() <= truth && truth <= p.epoch_seconds().high();
  }
  EXPECT_GE(held / double{kTrials}, 0.93);
}

TEST(WorkloadTest, IsOneStepOfTheAnchor) {
  ScalingTimes times = OneAndTwo();
  times.times[1].wait_seconds = 8;
  times.times[1].buckets = {{60, 0.3}, {40, 0.6}};
  const auto workload = MakeWorkload(times, *MakeStepCurve(times, Spec().step_time()), AllReduceTime({}, {}), 10);
  ASSERT_THAT(workload, IsOk());
  EXPECT_NEAR(workload->step_seconds.value, 1, kClose);
  EXPECT_NEAR(workload->overhead_seconds.value, 0.1, kClose);  // 0.2 s minus the 0.1 s of stragglers
  EXPECT_NEAR(workload->straggler_sigma_seconds, 0.1 / 0.5641895835, 1e-9);
  ASSERT_EQ(workload->buckets.size(), 2u);
  EXPECT_DOUBLE_EQ(workload->buckets[1].ready_seconds, 0.6);
}

TEST(WorkloadTest, WithoutBucketsNothingHides) {
  const auto workload =
      MakeWorkload(OneAndTwo(), *MakeStepCurve(OneAndTwo(), Spec().step_time()), AllReduceTime({}, {}), 10);
  ASSERT_THAT(workload, IsOk());
  ASSERT_EQ(workload->buckets.size(), 1u);
  EXPECT_DOUBLE_EQ(workload->buckets[0].size_bytes, 100);
}

TEST(WorkloadTest, TheMeasuredLinkIsARingsBandwidth) {
  const ScalingTimes times = OneAndTwo();
  const auto link = MeasuredLink(times, AllReduceTime({}, {{2, 100, Known(4)}}), 8);
  ASSERT_THAT(link, IsOk());
  EXPECT_DOUBLE_EQ(link->bytes_per_second(), 25);  // 2(N-1)/N * 100 bytes / 4 s
  EXPECT_FALSE(MeasuredLink(times, AllReduceTime({}, {}), 8).ok());
}

}  // namespace
}  // namespace lockstep
