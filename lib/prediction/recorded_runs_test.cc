// Predicts recorded runs (benchmarks/results): the runs of more devices are hidden from the model, then compared.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>
#include <type_traits>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/prediction/predict.h"
#include "lib/published/published_tables.h"
#include "lib/statistics/statistics.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;

proto::ModelSpec Spec() {
  proto::ModelSpec spec;
  spec.set_confidence(0.95);
  spec.set_run_to_run_fraction(0.005);
  spec.mutable_step_time()->set_median_error(0.05);
  spec.mutable_step_time()->set_worst_error(0.25);
  return spec;
}

template <typename File>
std::vector<typename std::decay_t<decltype(*File().mutable_record(0))>> Load(const std::string& path) {
  std::ifstream in("benchmarks/results/" + path, std::ios::binary);
  File file;
  EXPECT_TRUE(file.ParseFromIstream(&in)) << path;
  return {file.record().begin(), file.record().end()};
}

ScaleRecords LoadScale(const std::string& path) {
  ScaleRecords scale;
  scale.input.set_path(path);
  for (auto& record : Load<proto::ScaleFile>(path)) {
    if (record.has_header()) {
      scale.header = record.header();
    }
    scale.records.push_back(record);
  }
  return scale;
}

// Returns the baseline's epochs of 50,000 images on 1, 2 and 4 H200s in three precisions.
std::vector<ScalingTimes> PeerTimes() {
  const auto file = ReadPublishedTables("data/published/pytorch_ddp_4xh200.csv");
  EXPECT_THAT(file, IsOk());
  const auto times = TimesOfTables(file->tables, Spec().run_to_run_fraction());
  EXPECT_THAT(times, IsOk());
  return times.value_or(std::vector<ScalingTimes>());
}

ScalingTimes RecordTimes(const std::string& path) {
  const auto times = TimesOfRecords(LoadScale(path), nullptr, Spec().run_to_run_fraction());
  EXPECT_THAT(times, IsOk());
  return times.value_or(ScalingTimes());
}

// Predicts the runs of more than `shown` devices from the other runs and from the all-reduce of two devices, and
// compares.
std::vector<proto::Prediction> PredictHidden(const ScalingTimes& all, uint32_t shown) {
  const ScalingTimes times = UpTo(all, shown);
  const auto curve = MakeStepCurve(times, Spec().step_time());
  EXPECT_THAT(curve, IsOk());
  const AllReduceTime all_reduce({}, UpTo(all, 2).probes);
  std::vector<proto::Prediction> predictions;
  for (const ScalingTime& time : all.times) {
    if (time.ranks > shown) {
      predictions.push_back(Predict(times, *curve, all_reduce, Spec(), time.ranks, time.batch));
      ScorePrediction(time.epoch_seconds, all.provenance, predictions.back());
    }
  }
  return predictions;
}

struct Score {
  double median_error = 0;
  double worst_error = 0;
  size_t inside = 0;
};

// Prints every prediction, and expects it to be better than T_1/N wherever the error of T_1/N is above 5 %.
Score Judge(const std::vector<proto::Prediction>& predictions) {
  Score score;
  std::vector<double> errors;
  for (const proto::Prediction& p : predictions) {
    EXPECT_EQ(p.refused(), "") << p.source();
    std::printf("%-36s N=%u B=%-3u predicted %.4f [%.4f, %.4f] measured %.4f: %+5.2f %%, T_1/N %+6.2f %%\n",
                p.source().c_str(), p.ranks(), p.batch_per_device(), p.epoch_seconds().value(), p.epoch_seconds().low(),
                p.epoch_seconds().high(), p.measured_epoch_seconds().value(), 100 * p.relative_error(),
                100 * p.null_relative_error());
    errors.push_back(std::abs(p.relative_error()));
    score.inside += p.inside_interval();
    if (std::abs(p.null_relative_error()) > 0.05) {
      EXPECT_LT(errors.back(), std::abs(p.null_relative_error()));
    }
  }
  score.worst_error = *std::max_element(errors.begin(), errors.end());
  score.median_error = Median(errors);
  return score;
}

// The same run as if its fp32 gradients had been sent in bf16: half the bytes. The ranges of the fused step
// already have the size that is sent.
TEST(RecordedRunsTest, Bf16CommunicationSendsHalfOfEachBucket) {
  ScaleRecords scale = LoadScale("2026-11-21-h200x2-fp32/scale.rec");
  const auto fp32 = TimesOfRecords(scale, nullptr, 0);
  for (proto::ScaleRecord& record : scale.records) {
    if (record.has_point()) {
      record.mutable_point()->set_gradient_compression("bf16");
      record.mutable_point()->set_step(record.point().batch_per_device() == 32 ? proto::FUSED : proto::AUTOGRAD);
    } else if (record.has_spec()) {
      record.mutable_spec()->set_gradient_compression("bf16");
    }
  }
  const auto bf16 = TimesOfRecords(scale, nullptr, 0);
  ASSERT_THAT(fp32, IsOk());
  ASSERT_THAT(bf16, IsOk());
  EXPECT_EQ(fp32->sent_share, 1);
  EXPECT_EQ(bf16->sent_share, 0.5);
  ASSERT_EQ(bf16->times.size(), fp32->times.size());
  for (size_t i = 0; i < fp32->times.size(); ++i) {
    ASSERT_FALSE(fp32->times[i].buckets.empty());
    const double share = fp32->times[i].batch == 32 ? 1 : 0.5;
    EXPECT_EQ(bf16->times[i].buckets[0].size_bytes, share * fp32->times[i].buckets[0].size_bytes);
  }
}

// Twelve runs: ours in fp32 and the baseline's in three precisions. Required: a median error of 3 %, a largest error of
// 8 %. Of twelve intervals at 95 %, eleven or more contain the time with a probability of 88 %.
TEST(RecordedRunsTest, FourDevicesFromOneAndTwo) {
  std::vector<proto::Prediction> predictions = PredictHidden(RecordTimes("2026-11-21-h200x4-fp32/scale.rec"), 2);
  for (const ScalingTimes& times : PeerTimes()) {
    for (const proto::Prediction& prediction : PredictHidden(times, 2)) {
      predictions.push_back(prediction);
    }
  }
  ASSERT_EQ(predictions.size(), 12u);
  const Score score = Judge(predictions);
  EXPECT_LE(score.median_error, 0.03);
  EXPECT_LE(score.worst_error, 0.08);
  EXPECT_GE(score.inside, 11u);
}

// Nine runs of two and four devices, predicted from one device, with the reducer and plain, and the all-reduce of two.
TEST(RecordedRunsTest, SeveralDevicesFromOneAndAMicroBenchmark) {
  std::vector<proto::Prediction> predictions = PredictHidden(RecordTimes("2026-11-21-h200x4-fp32/scale.rec"), 1);
  for (const proto::Prediction& prediction : PredictHidden(RecordTimes("2026-11-21-h200x2-fp32/scale.rec"), 1)) {
    predictions.push_back(prediction);
  }
  ASSERT_EQ(predictions.size(), 9u);
  const Score score = Judge(predictions);
  EXPECT_LE(score.median_error, 0.03);
  EXPECT_LE(score.worst_error, 0.08);
  EXPECT_GE(score.inside, 8u);
}

// A time that is a tenth too long is distinguished from the expected time.
TEST(RecordedRunsTest, AWrongTimeIsOutsideItsInterval) {
  ScalingTimes times = RecordTimes("2026-11-21-h200x4-fp32/scale.rec");
  for (ScalingTime& time : times.times) {
    if (time.ranks == 4) {
      time.epoch_seconds = 1.1 * time.epoch_seconds;
    }
  }
  for (const proto::Prediction& prediction : PredictHidden(times, 2)) {
    EXPECT_FALSE(prediction.inside_interval()) << prediction.batch_per_device();
  }
}

}  // namespace
}  // namespace lockstep
