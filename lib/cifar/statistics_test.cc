#include "lib/cifar/statistics.h"

#include <cmath>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::ElementsAre;

// Three roundings of numbers below 1, each below 2^-53 = 1.1e-16.
constexpr double kRounding = 4e-16;

// Returns an image whose channel c has `low[c]` in its left half and `high[c]` in its right half.
std::vector<uint8_t> Halves(const std::vector<uint8_t>& low, const std::vector<uint8_t>& high) {
  std::vector<uint8_t> image;
  for (uint32_t c = 0; c < 3; ++c) {
    for (uint32_t i = 0; i < kPlaneBytes; ++i) {
      image.push_back(i % 32 < 16 ? low[c] : high[c]);
    }
  }
  return image;
}

std::vector<uint8_t> Concat(std::vector<uint8_t> a, const std::vector<uint8_t>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(StatisticsTest, AConstantImageHasNoSpread) {
  const proto::ChannelStatistics s = ComputeStatistics(Halves({0, 51, 255}, {0, 51, 255}));
  EXPECT_THAT(s.mean(), ElementsAre(0, DoubleNear(0.2, kRounding), 1));
  EXPECT_THAT(s.pixel_std(), Each(0));
  EXPECT_THAT(s.image_std(), Each(0));
}

TEST(StatisticsTest, HalfBlackHalfWhite) {
  const proto::ChannelStatistics s = ComputeStatistics(Halves({0, 0, 100}, {255, 255, 151}));
  EXPECT_THAT(s.mean(), ElementsAre(0.5, 0.5, DoubleNear(125.5 / 255, kRounding)));
  EXPECT_THAT(s.pixel_std(), ElementsAre(0.5, 0.5, DoubleNear(0.1, kRounding)));
  // The sample form is sqrt(1024 / 1023) times the population form.
  const double sample = std::sqrt(1024.0 / 1023);
  EXPECT_THAT(s.image_std(), ElementsAre(DoubleNear(0.5 * sample, kRounding), DoubleNear(0.5 * sample, kRounding),
                                         DoubleNear(0.1 * sample, kRounding)));
}

// A black and a white image: all spread is between the images, and none is within an image.
TEST(StatisticsTest, SpreadBetweenImagesCountsInPixelStdOnly) {
  const proto::ChannelStatistics s =
      ComputeStatistics(Concat(Halves({0, 0, 0}, {0, 0, 0}), Halves({255, 255, 255}, {255, 255, 255})));
  EXPECT_THAT(s.mean(), Each(0.5));
  EXPECT_THAT(s.pixel_std(), Each(0.5));
  EXPECT_THAT(s.image_std(), Each(0));
}

TEST(StatisticsTest, ImageStdIsTheMeanOverImages) {
  const proto::ChannelStatistics s =
      ComputeStatistics(Concat(Halves({0, 0, 0}, {255, 255, 255}), Halves({9, 9, 9}, {9, 9, 9})));
  EXPECT_THAT(s.image_std(), Each(DoubleNear(0.25 * std::sqrt(1024.0 / 1023), kRounding)));
}

// Here, the sum of squares times the count is 2.7e20, which would overflow 64 bits.
TEST(StatisticsTest, ManyBrightImagesDoNotOverflow) {
  const proto::ChannelStatistics s = ComputeStatistics(std::vector<uint8_t>(63'000 * size_t{kImageBytes}, 255));
  EXPECT_THAT(s.mean(), Each(1));
  EXPECT_THAT(s.pixel_std(), Each(0));
}

// A record holds these bits: the stds of 2,500 images, added in groups of a thousand.
TEST(StatisticsTest, ImagesAreAddedInGroupsOfAThousand) {
  std::vector<uint8_t> pixels;
  std::vector<ImageSums> images;
  double groups[3] = {};
  for (int i = 0; i < 2500; ++i) {
    const uint8_t high = static_cast<uint8_t>(i * 37);
    const std::vector<uint8_t> image = Halves({0, 0, 0}, {high, high, high});
    pixels.insert(pixels.end(), image.begin(), image.end());
    images.push_back(SumImage(image.data()));
    groups[i / 1000] += images.back()[0].std;
  }
  const proto::ChannelStatistics s = ComputeStatistics(images);
  EXPECT_THAT(s.image_std(), Each((groups[0] + groups[1] + groups[2]) / 2500 / 255));
  EXPECT_EQ(ComputeStatistics(pixels).SerializeAsString(), s.SerializeAsString());
}

TEST(StatisticsTest, SumsOfOneImage) {
  const ImageSums sums = SumImage(Halves({0, 1, 100}, {255, 2, 100}).data());
  EXPECT_EQ(sums[0].sum, 512u * 255);
  EXPECT_EQ(sums[0].square_sum, 512u * 255 * 255);
  EXPECT_DOUBLE_EQ(sums[0].std, 127.5 * std::sqrt(1024.0 / 1023));
  EXPECT_EQ(sums[1].sum, 512u * 1 + 512u * 2);
  EXPECT_EQ(sums[1].square_sum, 512u * 1 + 512u * 4);
  EXPECT_EQ(sums[2].std, 0);
}

TEST(DescribeImagesTest, CountsClassesAndShape) {
  ImageSet set;
  for (const char* name : {"a", "b", "c"}) {
    set.info.add_class_name(name);
  }
  const auto pixels = Concat(Halves({0, 0, 0}, {255, 255, 255}), Halves({0, 0, 0}, {255, 255, 255}));
  set.pixels.assign(pixels.begin(), pixels.end());
  set.labels = {2, 2};
  DescribeImages(set);
  DescribeImages(set);  // second call: nothing may be counted twice
  EXPECT_EQ(set.info.image_count(), 2u);
  EXPECT_EQ(set.info.channels(), 3u);
  EXPECT_EQ(set.info.height(), 32u);
  EXPECT_EQ(set.info.width(), 32u);
  EXPECT_THAT(set.info.class_count(), ElementsAre(0, 0, 2));
  EXPECT_THAT(set.info.statistics().mean(), Each(0.5));
}

}  // namespace
}  // namespace lockstep
