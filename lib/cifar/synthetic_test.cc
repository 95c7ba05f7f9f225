#include "lib/cifar/synthetic.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/record/digest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

Dataset Make(uint32_t train_images, uint32_t test_images, uint64_t seed) {
  absl::StatusOr<Dataset> dataset = MakeSynthetic({train_images, test_images, seed});
  EXPECT_THAT(dataset, IsOk());
  return *std::move(dataset);
}

std::string PixelDigest(const ImageSet& set) {
  return Sha256Hex(absl::string_view(reinterpret_cast<const char*>(set.pixels.data()), set.pixels.size()));
}

// Returns the squared distance of image `i` of `set` from `centre`.
double Distance(const ImageSet& set, size_t i, const std::vector<double>& centre) {
  double sum = 0;
  for (size_t k = 0; k < kImageBytes; ++k) {
    const double difference = set.pixels[i * kImageBytes + k] - centre[k];
    sum += difference * difference;
  }
  return sum;
}

// Returns the share of test images whose nearest mean training image has their own class.
double NearestMeanAccuracy(const Dataset& dataset) {
  std::vector<std::vector<double>> means(10, std::vector<double>(kImageBytes));
  for (size_t i = 0; i < dataset.train.size(); ++i) {
    const uint16_t label = dataset.train.labels[i];
    const double count = dataset.train.info.class_count(label);
    for (size_t k = 0; k < kImageBytes; ++k) {
      means[label][k] += dataset.train.pixels[i * kImageBytes + k] / count;
    }
  }
  int right = 0;
  for (size_t i = 0; i < dataset.test.size(); ++i) {
    std::vector<double> distances;
    for (const std::vector<double>& mean : means) {
      distances.push_back(Distance(dataset.test, i, mean));
    }
    right += std::min_element(distances.begin(), distances.end()) - distances.begin() == dataset.test.labels[i] ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(dataset.test.size());
}

// Digests of a reference implementation in Python. Every platform and every version must make the same images.
TEST(SyntheticTest, ImagesAreThoseOfTheReference) {
  const Dataset zero = Make(12, 12, 0);
  EXPECT_EQ(PixelDigest(zero.train), "4b5e22986754a896f31e12f4569a785a3cf6084975f9ee81635c2cbbf08c02c5");
  EXPECT_EQ(PixelDigest(zero.test), "5654a05402d2dc7b5fd11fd032947cf77215a0281842e703ec261068f88a97a7");
  EXPECT_EQ(PixelDigest(Make(12, 1, 7).train), "599858d6e20d8304751987d4da9ae863a490dbad974fc8651b64631ab264f18b");
}

TEST(SyntheticTest, OneImageOfEach) {
  const Dataset dataset = Make(1, 1, 0);
  EXPECT_THAT(dataset.train.labels, ElementsAre(0));
  EXPECT_THAT(dataset.test.pixels, SizeIs(kImageBytes));
}

TEST(SyntheticTest, AnImageDoesNotDependOnTheirNumber) {
  const Dataset few = Make(5, 1, 3);
  const Dataset many = Make(25, 1, 3);
  EXPECT_TRUE(std::equal(few.train.pixels.begin(), few.train.pixels.end(), many.train.pixels.begin()));
}

TEST(SyntheticTest, DescribesItself) {
  const Dataset dataset = Make(25, 10, 9);
  const proto::DatasetInfo& info = dataset.train.info;
  EXPECT_EQ(info.split(), proto::TRAIN);
  EXPECT_EQ(dataset.test.info.split(), proto::TEST);
  EXPECT_EQ(info.input_format(), proto::SYNTHETIC);
  EXPECT_FALSE(info.official());
  EXPECT_EQ(info.note(), "synthetic, seed 9");
  EXPECT_THAT(info.class_name(), SizeIs(10));
  EXPECT_THAT(info.class_count(), ElementsAre(3, 3, 3, 3, 3, 2, 2, 2, 2, 2));
  EXPECT_THAT(dataset.test.info.class_count(), Each(1));
  EXPECT_THAT(info.statistics().mean(), Each(::testing::AllOf(::testing::Gt(0.3), ::testing::Lt(0.6))));
  EXPECT_THAT(info.statistics().image_std(), Each(::testing::Gt(0.1)));
}

TEST(SyntheticTest, TrainingAndTestImagesDiffer) {
  const Dataset dataset = Make(10, 10, 0);
  EXPECT_NE(dataset.train.pixels, dataset.test.pixels);
}

// A classifier that cannot shift or mirror must be far above chance (0.1 + 9 standard deviations of 200 tries, 0.021
// each), and far from perfect.
TEST(SyntheticTest, IsLearnableButNotTrivial) {
  const double accuracy = NearestMeanAccuracy(Make(300, 200, 0));
  EXPECT_GT(accuracy, 0.29);
  EXPECT_LT(accuracy, 0.80);
}

TEST(SyntheticTest, CountsOutOfRangeAreNamed) {
  EXPECT_THAT(MakeSynthetic({0, 1, 0}), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--train_images=0")));
  EXPECT_THAT(MakeSynthetic({1, kMaxSyntheticImages + 1, 0}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--test_images=1000001")));
}

TEST(SyntheticTest, ClassesAndSizeAreOptions) {
  SyntheticOptions options;
  options.train_images = 300;
  options.test_images = 150;
  options.classes = 100;
  options.size = 20;
  const absl::StatusOr<Dataset> dataset = MakeSynthetic(options);
  ASSERT_THAT(dataset, IsOk());
  EXPECT_EQ(dataset->train.info.class_name_size(), 100);
  EXPECT_THAT(dataset->train.info.class_count(), Each(3));
  EXPECT_EQ(dataset->train.info.height(), 20);
  EXPECT_EQ(dataset->train.info.width(), 20);
  EXPECT_THAT(dataset->train.pixels, SizeIs(300 * 3 * 20 * 20));
  EXPECT_EQ(dataset->test.labels[149], 49);
}

TEST(SyntheticTest, LimitsOfClassesAndSize) {
  SyntheticOptions options;
  options.classes = 1;
  EXPECT_THAT(MakeSynthetic(options),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--classes=1: expected 2")));
  options.classes = 10;
  options.size = 257;
  EXPECT_THAT(MakeSynthetic(options),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--size=257: expected 8 to 256 pixels")));
}

}  // namespace
}  // namespace lockstep
