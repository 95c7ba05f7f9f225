#include "lib/quantize/quantize_network.h"

#include <limits>
#include <numeric>
#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/dataset/normalization.h"
#include "lib/dataset/small_dataset_testing.h"
#include "lib/int8/accuracy.h"
#include "lib/int8/calibration.h"
#include "lib/int8/quantized_record.h"
#include "lib/int8/random_network_testing.h"
#include "lib/int8/replay.h"
#include "lib/quantize/torch_forward.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::Biases;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::RandomNetwork;
using ::lockstep::testing::SmallDataset;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr uint32_t kTestImages = 50;

proto::QuantizeSpec SmallSpec() {
  proto::QuantizeSpec spec;
  spec.set_weight_range(proto::MAX_ABS);
  spec.set_activation_range(proto::MIN_MAX);
  spec.set_calibration_images(20);
  return spec;
}

absl::StatusOr<proto::QuantizedNetwork> Quantize(const FloatNetwork& network,
                                                 const proto::QuantizeSpec& spec = SmallSpec(),
                                                 uint32_t test_images = kTestImages) {
  const Dataset dataset = SmallDataset(30, test_images);
  return QuantizeNetwork(network, dataset, *CompleteNormalization({}, dataset.train.info), spec);
}

TEST(QuantizeNetworkTest, ADryRunTracesFewerImages) {
  const FloatNetwork network = RandomNetwork(LeNet5Layers(), Biases::kRandom, 1);
  const Dataset dataset = SmallDataset(30, kTestImages);
  RunParts parts;
  Tracing tracing = {2};
  const auto record = QuantizeNetwork(network, dataset, *CompleteNormalization({}, dataset.train.info), SmallSpec(),
                                      MakePlainRunner, c10::Device(c10::kCPU), parts, tracing);
  ASSERT_THAT(record, IsOk());
  EXPECT_EQ(record->traced_images(), 2u);
  EXPECT_GT(tracing.seconds, 0);
  EXPECT_EQ(TracedImages(network, 20), 20u);
  // ResNet-18 has 0.56e9 multiply-accumulates, of which 8e9 are traced.
  EXPECT_EQ(TracedImages(RandomNetwork(ResNet18Layers(), Biases::kRandom, 1), 400), 14u);
}

uint64_t Counted(const proto::Histogram& histogram) {
  return std::accumulate(histogram.count().begin(), histogram.count().end(), histogram.below() + histogram.above());
}

TEST(QuantizeNetworkTest, RecordsTheLabsStepsInTheLabsOrder) {
  const auto record = Quantize(RandomNetwork(LeNet5Layers(), Biases::kRandom, 1));
  ASSERT_THAT(record, IsOk());
  std::vector<proto::QuantizeStage> stages;
  for (const proto::AccuracyStep& step : record->step()) {
    stages.push_back(step.stage());
    EXPECT_EQ(step.images(), kTestImages);
    EXPECT_EQ(step.absent_reason(), "");
  }
  EXPECT_THAT(stages, ElementsAre(proto::FP32_NETWORK, proto::INT8_WEIGHTS, proto::INT8_WEIGHTS_ACTIVATIONS,
                                  proto::INT8_WEIGHTS_ACTIVATIONS_BIAS, proto::INT8_WEIGHTS_UNSCALED_BIAS));
}

// Compares with the accuracy, in LibTorch, of the record's own weights divided by its scales.
TEST(QuantizeNetworkTest, TheWeightsStepIsLibTorchOnDequantizedWeights) {
  FloatNetwork network = RandomNetwork(LeNet5Layers(), Biases::kRandom, 1);
  const auto record = Quantize(network);
  ASSERT_THAT(record, IsOk());
  for (int i = 0; i < 5; ++i) {
    const proto::QuantizedLayer& layer = record->layer(i);
    for (size_t k = 0; k < layer.weight().size(); ++k) {
      network.layers[i].weight[k] = static_cast<float>(static_cast<int8_t>(layer.weight()[k]) / layer.weight_scale());
    }
  }
  const ImageSet test = SmallDataset(30, kTestImages).test;
  std::vector<float> images;
  for (uint32_t i = 0; i < kTestImages; ++i) {
    const std::vector<float> image = NormalizedImage(test, i, *NormalizationOf(*record));
    images.insert(images.end(), image.begin(), image.end());
  }
  const auto logits = (*TorchForward::Make(network))->Run(images, kTestImages);
  ASSERT_THAT(logits, IsOk());
  uint32_t correct = 0;
  for (uint32_t i = 0; i < kTestImages; ++i) {
    correct += Predict(&(*logits)[i * 10], 10).label == test.labels[i] ? 1 : 0;
  }
  EXPECT_EQ(record->step(1).correct(), correct);
}

TEST(QuantizeNetworkTest, FlipsAreTheDifferenceToFp32) {
  const auto record = Quantize(RandomNetwork(LeNet5Layers(), Biases::kRandom, 1));
  ASSERT_THAT(record, IsOk());
  const uint32_t fp32 = record->step(0).correct();
  EXPECT_EQ(record->step(0).flips_to_wrong() + record->step(0).flips_to_right(), 0u);
  for (const proto::AccuracyStep& step : record->step()) {
    EXPECT_EQ(step.correct() + step.flips_to_wrong(), fp32 + step.flips_to_right());
  }
}

TEST(QuantizeNetworkTest, WithoutBiasTheLastStepIsAbsentWithTheReason) {
  const auto record = Quantize(RandomNetwork(LeNet5Layers(), Biases::kNone, 1));
  ASSERT_THAT(record, IsOk());
  ASSERT_EQ(record->step_size(), 4);
  EXPECT_EQ(record->step(3).absent_reason(), "the network has no bias");
  EXPECT_EQ(record->step(3).images(), 0u);
  EXPECT_FALSE(record->has_bias());
  EXPECT_EQ(record->layer(0).bias_size(), 0);
}

TEST(QuantizeNetworkTest, NormalisesAsInTraining) {
  const auto record = Quantize(RandomNetwork(LeNet5Layers(), Biases::kNone, 1));
  ASSERT_THAT(record, IsOk());
  EXPECT_THAT(record->mean(), ElementsAre(0.5, 0.5, 0.5));  // normalization of SmallDataset
  EXPECT_THAT(record->std(), ElementsAre(0.125, 0.25, 0.375));
  EXPECT_EQ(record->input_scale(), 127 / 4.0);  // (0 - 0.5) / 0.125 is the largest magnitude
}

TEST(QuantizeNetworkTest, HistogramsCountTheCalibrationImagesOnly) {
  const FloatNetwork network = RandomNetwork(LeNet5Layers(), Biases::kNone, 1);
  const auto record = Quantize(network);
  ASSERT_THAT(record, IsOk());
  EXPECT_EQ(Counted(record->input_histogram()), 20u * kImageBytes);
  for (int i = 0; i < 5; ++i) {
    const LayerShape& shape = network.layers[i].shape;
    EXPECT_EQ(Counted(record->layer(i).weight_histogram()), shape.WeightSize());
    EXPECT_EQ(Counted(record->layer(i).activation_before_relu()), 20 * shape.Out().Size());
    EXPECT_EQ(Counted(record->layer(i).activation_after_relu()), shape.relu ? 20 * shape.Out().Size() : 0);
  }
}

TEST(QuantizeNetworkTest, AccumulatorsStayWithinTheirBound) {
  const auto record = Quantize(RandomNetwork(LeNet5Layers(), Biases::kRandom, 1));
  ASSERT_THAT(record, IsOk());
  for (const proto::QuantizedLayer& layer : record->layer()) {
    EXPECT_GT(layer.accumulator_max_abs(), 127) << layer.name();
    EXPECT_LE(layer.accumulator_max_abs(), layer.accumulator_bound()) << layer.name();
    EXPECT_LT(layer.accumulator_bound(), int64_t{1} << 31) << layer.name();
    // The fp32 maximum maps to 127; the int8 network's values exceed it only by rounding errors.
    EXPECT_LT(layer.activation_saturated_fraction(), 0.05) << layer.name();
  }
}

TEST(QuantizeNetworkTest, KeepsReplaySamplesOfTheTestSplit) {
  const auto record = Quantize(RandomNetwork(LeNet5Layers(), Biases::kRandom, 1));
  ASSERT_THAT(record, IsOk());
  ASSERT_EQ(record->replay_size(), static_cast<int>(kTestImages));  // fewer than kReplayImages, so all
  const Dataset dataset = SmallDataset(30, kTestImages);
  std::set<uint32_t> indices;
  for (const proto::ReplaySample& sample : record->replay()) {
    EXPECT_EQ(sample.pixels(), std::string(dataset.test.pixels.begin() + sample.test_index() * kImageBytes,
                                           dataset.test.pixels.begin() + (sample.test_index() + 1) * kImageBytes));
    EXPECT_EQ(sample.expected_logit_size(), 10);
    indices.insert(sample.test_index());
  }
  EXPECT_EQ(indices.size(), kTestImages);
  EXPECT_THAT(Replay(*record), IsOk());
}

TEST(QuantizeNetworkTest, TheRecordHasTheNormalizationOfTheImages) {
  const FloatNetwork network = RandomNetwork(LeNet5Layers(), Biases::kNone, 1);
  const auto by_dataset = Quantize(network);
  const auto by_none =
      QuantizeNetwork(network, SmallDataset(30, kTestImages), *ParseNormalization("none"), SmallSpec());
  ASSERT_THAT(by_dataset, IsOk());
  ASSERT_THAT(by_none, IsOk());
  EXPECT_EQ(by_dataset->normalization_source(), "dataset");
  EXPECT_EQ(by_none->normalization_source(), "none");
  EXPECT_THAT(by_none->mean(), ElementsAre(0, 0, 0));
  EXPECT_THAT(by_none->std(), ElementsAre(1, 1, 1));
  EXPECT_FLOAT_EQ(by_none->input_scale(), 127);  // the largest pixel is 1
  EXPECT_NE(by_none->input_scale(), by_dataset->input_scale());
}

TEST(QuantizeNetworkTest, OfManyTestImagesSomeAreKept) {
  const auto record = Quantize(RandomNetwork(LeNet5Layers(), Biases::kNone, 1), SmallSpec(), 100);
  ASSERT_THAT(record, IsOk());
  EXPECT_EQ(record->replay_size(), static_cast<int>(kReplayImages));
}

TEST(QuantizeNetworkTest, IsAFunctionOfTheSeed) {
  const FloatNetwork network = RandomNetwork(LeNet5Layers(), Biases::kRandom, 1);
  proto::QuantizeSpec other = SmallSpec();
  other.set_seed(1);
  const auto first = Quantize(network), again = Quantize(network), seeded = Quantize(network, other);
  ASSERT_THAT(first, IsOk());
  EXPECT_EQ(first->SerializeAsString(), again->SerializeAsString());
  EXPECT_NE(first->SerializeAsString(), seeded->SerializeAsString());
}

TEST(QuantizeNetworkTest, BiasCorrectionMovesBiasesAndNothingElse) {
  const FloatNetwork network = RandomNetwork(LeNet5Layers(), Biases::kRandom, 1);
  proto::QuantizeSpec spec = SmallSpec();
  const auto plain = Quantize(network, spec);
  spec.set_bias_correction(true);
  const auto corrected = Quantize(network, spec);
  ASSERT_THAT(corrected, IsOk());
  int moved = 0;
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(corrected->layer(i).weight(), plain->layer(i).weight());
    EXPECT_EQ(corrected->layer(i).multiplier(), plain->layer(i).multiplier());
    for (int o = 0; o < plain->layer(i).bias_size(); ++o) {
      moved += corrected->layer(i).bias(o) != plain->layer(i).bias(o) ? 1 : 0;
    }
  }
  EXPECT_GT(moved, 100);  // out of 236
  EXPECT_EQ(corrected->step(0).correct(), plain->step(0).correct());
}

TEST(QuantizeNetworkTest, AStudyIsRecordedWhenItIsAskedFor) {
  proto::QuantizeSpec spec = SmallSpec();
  EXPECT_FALSE(Quantize(RandomNetwork(LeNet5Layers(), Biases::kRandom, 1), spec)->has_study());
  spec.set_study_images(10);
  const auto record = Quantize(RandomNetwork(LeNet5Layers(), Biases::kRandom, 1), spec);
  ASSERT_THAT(record, IsOk());
  EXPECT_EQ(record->study().images(), 10u);
  EXPECT_EQ(record->study().layer_size(), 6);
  spec.set_study_images(11);  // one image too many: 20 of the 30 images are for calibration
  EXPECT_THAT(Quantize(RandomNetwork(LeNet5Layers(), Biases::kRandom, 1), spec),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--study_images=11")));
}

// A learning rate of 0 changes neither the weights nor anything else in the record.
TEST(QuantizeNetworkTest, FineTuningThatLearnsNothingChangesNothing) {
  for (const bool bias : {false, true}) {
    const FloatNetwork network = RandomNetwork(LeNet5Layers(), bias ? Biases::kRandom : Biases::kNone, 1);
    proto::QuantizeSpec spec = SmallSpec();
    spec.set_per_channel(true);
    const auto plain = Quantize(network, spec);
    spec.set_fine_tune_epochs(1);
    spec.set_fine_tune_batch(16);
    auto tuned = Quantize(network, spec);
    ASSERT_THAT(tuned, IsOk());
    proto::AccuracyStep* const last = tuned->mutable_step()->ReleaseLast();
    const proto::AccuracyStep before = plain->step(bias ? 3 : 2);
    EXPECT_EQ(last->stage(), proto::INT8_FINE_TUNED);
    last->set_stage(before.stage());
    EXPECT_EQ(last->SerializeAsString(), before.SerializeAsString());
    delete last;
    EXPECT_EQ(tuned->fine_tuning().steps(), 2u);
    tuned->clear_fine_tuning();
    EXPECT_EQ(tuned->SerializeAsString(), plain->SerializeAsString());
  }
}

TEST(QuantizeNetworkTest, FineTuningReplacesLayersAndReplayButNotTheStages) {
  const FloatNetwork network = RandomNetwork(LeNet5Layers(), Biases::kRandom, 1);
  proto::QuantizeSpec spec = SmallSpec();
  const auto plain = Quantize(network, spec);
  spec.set_fine_tune_epochs(1);
  spec.set_fine_tune_batch(8);
  spec.set_fine_tune_learning_rate(0.05);
  const auto tuned = Quantize(network, spec);
  ASSERT_THAT(tuned, IsOk());
  for (int i = 0; i < plain->step_size(); ++i) {
    EXPECT_EQ(tuned->step(i).SerializeAsString(), plain->step(i).SerializeAsString());
  }
  for (int i = 0; i < plain->layer_size(); ++i) {
    EXPECT_NE(tuned->layer(i).weight(), plain->layer(i).weight());
    EXPECT_EQ(tuned->layer(i).tensor_scale(), plain->layer(i).tensor_scale());
    EXPECT_NE(tuned->layer(i).replay_sha256(), plain->layer(i).replay_sha256());
  }
  EXPECT_THAT(Replay(*tuned), IsOk());
}

TEST(QuantizeNetworkTest, RejectsMoreCalibrationImagesThanThereAre) {
  proto::QuantizeSpec spec = SmallSpec();
  spec.set_calibration_images(31);
  EXPECT_THAT(
      Quantize(RandomNetwork(LeNet5Layers(), Biases::kNone, 1), spec),
      StatusIs(absl::StatusCode::kInvalidArgument, AllOf(HasSubstr("--calibration_images=31"), HasSubstr("30"))));
}

TEST(QuantizeNetworkTest, RejectsNanWeights) {
  FloatNetwork network = RandomNetwork(LeNet5Layers(), Biases::kNone, 1);
  network.layers[4].weight[2] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(Quantize(network), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("fc3")));
}

TEST(QuantizeNetworkTest, ALayerOfZerosGivesTiesAndNoError) {
  FloatNetwork network = RandomNetwork(LeNet5Layers(), Biases::kNone, 1);
  network.layers[4].weight.assign(840, 0.0f);
  const auto record = Quantize(network);
  ASSERT_THAT(record, IsOk());
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(record->step(i).argmax_ties(), kTestImages);  // all logits are 0
    EXPECT_EQ(record->step(i).correct(), 5u);               // images of class 0 of 10, one in ten of the small set
  }
}

}  // namespace
}  // namespace lockstep
