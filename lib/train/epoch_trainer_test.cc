#include "lib/train/epoch_trainer.h"

#include "gtest/gtest.h"
#include "lib/dataset/sampler.h"
#include "lib/dataset/small_dataset_testing.h"

namespace lockstep {
namespace {

TEST(OrderOfTest, EveryEpochHasItsOwnUnlessTheOrderIsFixed) {
  const ImageSet images = testing::SmallImageSet(proto::TRAIN, 40);
  TrainerInput input;
  input.spec.set_seed(3);
  input.images = &images;
  EXPECT_EQ(ImagesOf(input), 40);
  EXPECT_EQ(OrderOf(input, 0), EpochOrder(40, 3, 0));
  EXPECT_EQ(OrderOf(input, 2), EpochOrder(40, 3, 2));
  EXPECT_NE(OrderOf(input, 2), OrderOf(input, 0));
  input.spec.set_no_set_epoch(true);
  EXPECT_EQ(OrderOf(input, 2), EpochOrder(40, 3, 0));
  EXPECT_EQ(OrderOf(input, 2), OrderOf(input, 0));
}

}  // namespace
}  // namespace lockstep
