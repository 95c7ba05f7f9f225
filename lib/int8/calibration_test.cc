#include "lib/int8/calibration.h"

#include <limits>
#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/dataset/small_dataset.h"
#include "lib/int8/float_reference.h"
#include "lib/int8/random_network.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::RandomNetwork;
using ::lockstep::testing::SmallImageSet;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

// One fully connected layer whose two outputs are the first pixel and twice its negative.
FloatNetwork FirstPixel(bool relu) {
  FloatNetwork network;
  FloatLayer layer;
  layer.shape = {"fc", LayerKind::kLinear, kImageBytes, 1, 1, 2, 1, relu, 0};
  layer.weight.assign(2 * kImageBytes, 0.0f);
  layer.weight[0] = 1;
  layer.weight[kImageBytes] = -2;
  network.layers.push_back(layer);
  return network;
}

// Byte / 255 unchanged.
NormalizationTable Unchanged() { return MakeNormalizationTable({0, 0, 0}, {1, 1, 1}); }

uint64_t Counted(const proto::Histogram& histogram) {
  return std::accumulate(histogram.count().begin(), histogram.count().end(), uint64_t{0});
}

TEST(CalibrateTest, RangesBeforeAndAfterReluByHand) {
  const ImageSet set = SmallImageSet(proto::TRAIN, 4);
  // First pixels of images 0 and 2: bytes 0 and 178; outputs 0, -0 and 178/255, -356/255.
  const auto calibration = Calibrate(FirstPixel(true), {set, {0, 2}, Unchanged()});
  ASSERT_THAT(calibration, IsOk());
  const LayerStatistics& layer = calibration->layers[0];
  EXPECT_EQ(layer.before_relu.summary.min(), -2 * (178.0f / 255));
  EXPECT_EQ(layer.before_relu.summary.max(), 178.0f / 255);
  EXPECT_EQ(layer.after_relu.summary.min(), 0);
  EXPECT_EQ(layer.after_relu.summary.max(), 178.0f / 255);
}

TEST(CalibrateTest, HistogramsHoldEveryValueOfEveryImage) {
  const ImageSet set = SmallImageSet(proto::TRAIN, 4);
  const auto calibration = Calibrate(FirstPixel(true), {set, {0, 1, 3}, Unchanged()});
  ASSERT_THAT(calibration, IsOk());
  EXPECT_EQ(Counted(calibration->input.histogram), 3u * kImageBytes);
  EXPECT_EQ(Counted(calibration->layers[0].before_relu.histogram), 6u);
  EXPECT_EQ(Counted(calibration->layers[0].after_relu.histogram), 6u);
  // The lowest bin holds the zeros. After ReLU these are, among 3 x 2 values, image 0's two and each other image's
  // negative one.
  EXPECT_EQ(calibration->layers[0].after_relu.histogram.count(0), 4u);
}

TEST(CalibrateTest, WithoutReluBothSidesAreTheSame) {
  const ImageSet set = SmallImageSet(proto::TRAIN, 2);
  const auto calibration = Calibrate(FirstPixel(false), {set, {1}, Unchanged()});
  ASSERT_THAT(calibration, IsOk());
  EXPECT_EQ(calibration->layers[0].after_relu.summary.min(), -2 * (89.0f / 255));
}

TEST(CalibrateTest, EveryLayerOfLeNet5IsSeen) {
  const ImageSet set = SmallImageSet(proto::TRAIN, 3);
  const FloatNetwork network = RandomNetwork(LeNet5Layers(), true, 1);
  const auto calibration = Calibrate(network, {set, {0, 1, 2}, Unchanged()});
  ASSERT_THAT(calibration, IsOk());
  ASSERT_EQ(calibration->layers.size(), 5u);
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(Counted(calibration->layers[i].before_relu.histogram), 3 * network.layers[i].shape.OutputSize()) << i;
    EXPECT_GE(calibration->layers[i].after_relu.summary.min(), i == 4 ? -1e9 : 0) << i;
  }
}

TEST(CalibrateTest, RejectsActivationsThatAreNotFinite) {
  const ImageSet set = SmallImageSet(proto::TRAIN, 2);
  FloatNetwork network = FirstPixel(true);
  network.layers[0].weight[0] = std::numeric_limits<float>::max();
  network.layers[0].weight[1] = std::numeric_limits<float>::max();  // the sum overflows
  EXPECT_THAT(Calibrate(network, {set, {1}, MakeNormalizationTable({0, 0, 0}, {0.1f, 1, 1})}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("fc: gives NaN or infinity")));
}

TEST(CalibrateTest, RejectsNoImage) {
  const ImageSet set = SmallImageSet(proto::TRAIN, 2);
  EXPECT_THAT(Calibrate(FirstPixel(true), {set, {}, Unchanged()}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("at least one image")));
}

}  // namespace
}  // namespace lockstep
