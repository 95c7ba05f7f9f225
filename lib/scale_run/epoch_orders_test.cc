#include "lib/scale_run/epoch_orders.h"

#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

proto::RankFacts FactsOf(bool no_set_epoch, uint32_t rank) {
  proto::TrainingSpec training;
  training.set_seed(7);
  training.set_warmup_epochs(1);
  training.set_no_set_epoch(no_set_epoch);
  proto::RankFacts facts;
  EpochOrders(41, training, 2, rank).Describe(5, 8, facts);
  return facts;
}

// Two ranks with 21 of 41 images each; five epochs show nearly all images.
TEST(EpochOrdersTest, WithTheEpochNumberEachEpochDiffers) {
  const proto::RankFacts facts = FactsOf(false, 0);
  const std::set<std::string> orders(facts.epoch_order_sha256().begin(), facts.epoch_order_sha256().end());
  EXPECT_EQ(orders.size(), 5);
  EXPECT_EQ(facts.order_sha256(), facts.epoch_order_sha256(1));
  EXPECT_EQ(facts.distinct_images(), 21);
  EXPECT_GT(facts.distinct_images_ever(), 35);
  EXPECT_EQ(facts.repeated_batch_share(), 0);
}

TEST(EpochOrdersTest, WithoutItARankNeverSeesOtherImages) {
  const proto::RankFacts facts = FactsOf(true, 1);
  const std::set<std::string> orders(facts.epoch_order_sha256().begin(), facts.epoch_order_sha256().end());
  EXPECT_EQ(orders.size(), 1);
  EXPECT_EQ(facts.distinct_images_ever(), 21);
  EXPECT_EQ(facts.repeated_batch_share(), 1);
  EXPECT_NE(facts.order_sha256(), FactsOf(true, 0).order_sha256());
}

TEST(EpochOrdersTest, PaddingIsOneRanks) {
  proto::TrainingSpec training;
  EXPECT_EQ(EpochOrders(41, training, 2, 0).padded() + EpochOrders(41, training, 2, 1).padded(), 1);
  EXPECT_EQ(EpochOrders(42, training, 2, 1).padded(), 0);
}

}  // namespace
}  // namespace lockstep
