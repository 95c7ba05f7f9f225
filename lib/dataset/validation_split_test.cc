#include "lib/dataset/validation_split.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/dataset/small_dataset_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::SmallDataset;
using ::lockstep::testing::SmallPixel;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSubsetOf;

constexpr uint32_t kImages = 200;

// Returns an image's pixels, which identify it: SmallPixel has 256 different ones, of which 200 are used here.
std::string ImageAt(const ImageSet& set, size_t index) {
  return std::string(reinterpret_cast<const char*>(set.pixels.data()) + index * kImageBytes, kImageBytes);
}

std::vector<std::pair<std::string, int>> ImagesOf(const ImageSet& set) {
  std::vector<std::pair<std::string, int>> images;
  for (size_t i = 0; i < set.size(); ++i) {
    images.emplace_back(ImageAt(set, i), set.labels[i]);
  }
  return images;
}

Dataset Split(uint32_t images) {
  Dataset dataset = SmallDataset(kImages, 3);
  EXPECT_THAT(HoldOutValidation(images, 1, dataset), IsOk());
  return dataset;
}

TEST(ValidationSplitTest, EachImageIsInOneOfTheTwo) {
  const Dataset whole = SmallDataset(kImages, 3), split = Split(50);
  EXPECT_EQ(split.train.size(), 150);
  EXPECT_EQ(split.validation.size(), 50);
  auto images = ImagesOf(split.train);
  const auto held_out = ImagesOf(split.validation);
  images.insert(images.end(), held_out.begin(), held_out.end());
  auto expected = ImagesOf(whole.train);
  std::sort(images.begin(), images.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(images, expected);
  EXPECT_EQ(ImagesOf(split.test), ImagesOf(whole.test));
}

TEST(ValidationSplitTest, CountsAreThoseOfEachSetAndStatisticsThoseOfBoth) {
  const Dataset whole = SmallDataset(kImages, 3), split = Split(50);
  for (const ImageSet* set : {&split.train, &split.validation}) {
    EXPECT_EQ(set->info.image_count(), set->size());
    uint64_t sum = 0;
    for (int label = 0; label < set->info.class_count_size(); ++label) {
      sum += set->info.class_count(label);
      EXPECT_EQ(set->info.class_count(label), std::count(set->labels.begin(), set->labels.end(), label));
    }
    EXPECT_EQ(sum, set->size());
    EXPECT_EQ(set->info.statistics().SerializeAsString(), whole.train.info.statistics().SerializeAsString());
  }
}

TEST(ValidationSplitTest, TheImagesAreTheSameEveryTime) {
  EXPECT_EQ(ImagesOf(Split(50).validation), ImagesOf(Split(50).validation));
  EXPECT_THAT(ImagesOf(Split(20).validation), IsSubsetOf(ImagesOf(Split(50).validation)));
  EXPECT_NE(ImagesOf(Split(50).validation), ImagesOf(Split(51).validation));
}

// Returns the index of an image in the file.
uint32_t IndexOf(const ImageSet& set, size_t place) {
  uint32_t index = 0;
  while (index < kImages && SmallPixel(index, 0, 0, 0) != set.pixels[place * kImageBytes]) {
    ++index;
  }
  return index;
}

// Indices of the first version. Later versions must give the same ones, or accuracies cannot be compared.
TEST(ValidationSplitTest, TheImagesAreThoseOfEveryVersion) {
  const ImageSet validation = Split(8).validation;
  std::vector<uint32_t> indices;
  for (size_t place = 0; place < validation.size(); ++place) {
    indices.push_back(IndexOf(validation, place));
  }
  EXPECT_THAT(indices, ElementsAre(17, 39, 54, 80, 83, 117, 136, 191));
}

// Classes alternate: images not drawn at random would be of few classes or at one end.
TEST(ValidationSplitTest, TheImagesAreDrawnFromAllOver) {
  const Dataset split = Split(50);
  EXPECT_GE(std::set<uint8_t>(split.validation.labels.begin(), split.validation.labels.end()).size(), 8);
}

TEST(ValidationSplitTest, NoneChangesNothing) {
  Dataset dataset = SmallDataset(kImages, 3);
  ASSERT_THAT(HoldOutValidation(0, 1'000'000, dataset), IsOk());
  EXPECT_EQ(ImagesOf(dataset.train), ImagesOf(SmallDataset(kImages, 3).train));
  EXPECT_EQ(dataset.validation.size(), 0);
}

TEST(ValidationSplitTest, ABatchIsLeft) {
  Dataset dataset = SmallDataset(kImages, 3);
  EXPECT_THAT(HoldOutValidation(101, 100, dataset),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("--validation_images=101 leaves 99 of 200 training images"),
                             HasSubstr("a batch of 100 or more; give at most 100"))));
  EXPECT_THAT(HoldOutValidation(200, 0, dataset), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("leaves 0")));
  EXPECT_THAT(HoldOutValidation(4'000'000'000, 1, dataset),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("at most 199")));
  EXPECT_THAT(HoldOutValidation(1, 200, dataset),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("give 0, which holds none out")));
  EXPECT_EQ(dataset.train.size(), kImages);
  EXPECT_THAT(HoldOutValidation(100, 100, dataset), IsOk());
}

}  // namespace
}  // namespace lockstep
