#include "lib/scaling/point_name.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

proto::ScalePoint Point() {
  proto::ScalePoint point;
  point.set_ranks(2);
  point.set_batch_per_device(32);
  point.set_reduction(proto::ALL_REDUCE);
  return point;
}

TEST(PointNameTest, HasRanksBatchAndReduction) {
  proto::ScalePoint point = Point();
  EXPECT_EQ(PointName(point), "2 ranks, batch 32 per device, all-reduce");
  point.set_reduction(proto::ABLATED);
  EXPECT_EQ(PointName(point), "2 ranks, batch 32 per device, all-reduce left out");
  point.set_ranks(1);
  point.set_reduction(proto::PLAIN);
  EXPECT_EQ(PointName(point), "1 rank, batch 32 per device, plain");
  point.set_mode(proto::DP);
  point.set_reduction(proto::STAR);
  EXPECT_EQ(PointName(point), "1 device, batch 32 per device, DataParallel");
}

TEST(PointNameTest, ARowOfAnExperimentStandsFirstWithItsSeed) {
  proto::ScalePoint point = Point();
  point.set_row("LARS");
  point.mutable_training()->set_seed(1);
  EXPECT_EQ(PointName(point), "LARS, seed 1: 2 ranks, batch 32 per device, all-reduce");
}

TEST(PointNameTest, ATitleAlsoHasTheTraining) {
  proto::ScaleSpec spec;
  spec.set_mode(proto::DDP);
  spec.set_preset("fast");
  proto::ScalePoint point = Point();
  point.set_reducer("c10d");
  EXPECT_EQ(PointTitle(spec, point), "2 ranks, batch 32 per device, all-reduce, DDP, fast preset, LibTorch's reducer");
}

}  // namespace
}  // namespace lockstep
