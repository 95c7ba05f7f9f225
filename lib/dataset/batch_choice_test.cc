#include "lib/dataset/batch_choice.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(BatchChoiceTest, BatchesUpToTheShareOfARankFit) {
  const std::vector<uint32_t> batches = {32, 128, 512};
  EXPECT_THAT(FittingBatches(batches, 50000, 2), ElementsAre(32, 128, 512));
  EXPECT_THAT(FittingBatches(batches, 1024, 2), ElementsAre(32, 128, 512));
  EXPECT_THAT(FittingBatches(batches, 1023, 2), ElementsAre(32, 128));  // the share of 512 would be padded
  EXPECT_THAT(FittingBatches(batches, 80, 2), ElementsAre(32));
  EXPECT_THAT(FittingBatches(batches, 80, 8), ElementsAre(10));
  EXPECT_THAT(FittingBatches(batches, 1, 2), ElementsAre(1));
  EXPECT_THAT(FittingBatches({}, 80, 2), IsEmpty());
}

TEST(BatchChoiceTest, LargeBatchesOfEnoughImages) {
  for (const uint64_t images : {uint64_t{16384}, uint64_t{50000}, std::numeric_limits<uint64_t>::max()}) {
    EXPECT_EQ(ChooseLargeBatchSizes(images, 2).base, 128u);
    EXPECT_EQ(ChooseLargeBatchSizes(images, 2).large, 8192u);
  }
}

TEST(BatchChoiceTest, LargeBatchesOfFewImages) {
  EXPECT_EQ(ChooseLargeBatchSizes(2048, 2).base, 256u);
  EXPECT_EQ(ChooseLargeBatchSizes(2048, 2).large, 1844u);  // 2,048 less the 204 that are held out
  EXPECT_EQ(ChooseLargeBatchSizes(16383, 1).large, 14745u);
  EXPECT_EQ(ChooseLargeBatchSizes(4, 2).base, 2u);
  EXPECT_EQ(ChooseLargeBatchSizes(4, 2).large, 4u);
}

// scale_run refuses a batch above the images that are not held out, or one that its ranks cannot divide evenly.
TEST(BatchChoiceTest, LargeBatchesAreAcceptedForEveryDataSet) {
  for (const uint32_t ranks : {1, 2, 4, 8}) {
    for (uint32_t images = 3 * ranks; images < 20000; ++images) {
      const LargeBatchSizes sizes = ChooseLargeBatchSizes(images, ranks);
      ASSERT_LT(sizes.base, sizes.large) << images << " images, " << ranks << " ranks";
      ASSERT_LE(sizes.large, images - DefaultValidationImages(images));
      ASSERT_EQ(sizes.base % ranks + sizes.large % ranks, 0u);
    }
  }
}

}  // namespace
}  // namespace lockstep
