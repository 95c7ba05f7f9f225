#include "lib/int8/calibration.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/dataset/small_dataset_testing.h"
#include "lib/int8/plain_calibration_testing.h"
#include "lib/int8/random_network_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::Biases;
using ::lockstep::testing::CalibratePlainly;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::RandomNetwork;
using ::lockstep::testing::SmallImageSet;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

// Returns a fully connected layer whose two outputs are the first pixel and minus twice the first pixel.
FloatNetwork FirstPixel(bool relu) {
  FloatNetwork network;
  FloatLayer layer;
  layer.shape = LinearShape("fc", 0, {32, 32, 3}, 2);
  layer.shape.relu = relu;
  layer.weight.assign(2 * kImageBytes, 0.0f);
  layer.weight[0] = 1;
  layer.weight[kImageBytes] = -2;
  network.layers.push_back(layer);
  return network;
}

// Normalisation that leaves byte / 255 unchanged.
NormalizationTable Unchanged() { return MakeNormalizationTable({0, 0, 0}, {1, 1, 1}); }

TEST(CalibrateTest, RangesBeforeAndAfterReluByHand) {
  const ImageSet set = SmallImageSet(proto::TRAIN, 4);
  // First pixels of images 0 and 2: bytes 0 and 178; outputs 0, -0 and 178/255, -356/255.
  const auto calibration = CalibratePlainly(FirstPixel(true), {set, {0, 2}, Unchanged()});
  ASSERT_THAT(calibration, IsOk());
  const LayerStatistics& layer = calibration->layers[0];
  EXPECT_EQ(layer.before_relu.min(), -2 * (178.0f / 255));
  EXPECT_EQ(layer.before_relu.max(), 178.0f / 255);
  EXPECT_EQ(layer.after_relu.min(), 0);
  EXPECT_EQ(layer.after_relu.max(), 178.0f / 255);
}

TEST(CalibrateTest, HistogramsHoldEveryValueOfEveryImage) {
  const ImageSet set = SmallImageSet(proto::TRAIN, 4);
  const auto calibration = CalibratePlainly(FirstPixel(true), {set, {0, 1, 3}, Unchanged()});
  ASSERT_THAT(calibration, IsOk());
  EXPECT_EQ(calibration->input.size(), 3u * kImageBytes);
  EXPECT_EQ(calibration->layers[0].before_relu.size(), 6u);
  EXPECT_EQ(calibration->layers[0].after_relu.size(), 6u);
  // After ReLU, both values of image 0 are 0, and the negative value of each other image is 0.
  EXPECT_EQ(calibration->layers[0].after_relu.zeros(), 4u);
}

TEST(CalibrateTest, WithoutReluThereIsOneSide) {
  const ImageSet set = SmallImageSet(proto::TRAIN, 2);
  const FloatNetwork network = FirstPixel(false);
  const auto calibration = CalibratePlainly(network, {set, {1}, Unchanged()});
  ASSERT_THAT(calibration, IsOk());
  EXPECT_EQ(calibration->layers[0].after_relu.size(), 0u);
  EXPECT_EQ(calibration->layers[0].Output(network.layers[0].shape).min(), -2 * (89.0f / 255));
}

TEST(CalibrateTest, EveryLayerOfLeNet5IsSeen) {
  const ImageSet set = SmallImageSet(proto::TRAIN, 3);
  const FloatNetwork network = RandomNetwork(LeNet5Layers(), Biases::kRandom, 1);
  const auto calibration = CalibratePlainly(network, {set, {0, 1, 2}, Unchanged()});
  ASSERT_THAT(calibration, IsOk());
  ASSERT_EQ(calibration->layers.size(), 5u);
  for (size_t i = 0; i < 5; ++i) {
    const LayerShape& shape = network.layers[i].shape;
    EXPECT_EQ(calibration->layers[i].before_relu.size(), 3 * shape.Out().Size()) << i;
    EXPECT_GE(calibration->layers[i].Output(shape).min(), i == 4 ? -1e9 : 0) << i;
  }
}

TEST(CalibrateTest, RejectsActivationsThatAreNotFinite) {
  const ImageSet set = SmallImageSet(proto::TRAIN, 2);
  FloatNetwork network = FirstPixel(true);
  network.layers[0].weight[0] = std::numeric_limits<float>::max();
  network.layers[0].weight[1] = std::numeric_limits<float>::max();  // the sum overflows
  EXPECT_THAT(CalibratePlainly(network, {set, {1}, MakeNormalizationTable({0, 0, 0}, {0.1f, 1, 1})}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("fc: gives NaN or infinity")));
}

TEST(CalibrateTest, RejectsNoImage) {
  const ImageSet set = SmallImageSet(proto::TRAIN, 2);
  EXPECT_THAT(CalibratePlainly(FirstPixel(true), {set, {}, Unchanged()}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("at least one image")));
}

}  // namespace
}  // namespace lockstep
