#include "lib/train/sweep_flag_uses.h"

#include <algorithm>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

bool Acts(const std::string& flag, const TrainSweepOptions& options) {
  const std::vector<FlagUse> uses = SweepFlagUses(options);
  return std::all_of(uses.begin(), uses.end(), [&](const FlagUse& use) {
    return use.acts || std::find(use.flags.begin(), use.flags.end(), flag) == use.flags.end();
  });
}

TrainSweepOptions Options() {
  TrainSweepOptions options;
  options.spec.set_preset("lab");
  options.spec.mutable_training()->set_model("resnet18");
  return options;
}

TEST(SweepFlagUsesTest, WhatIsKept) {
  TrainSweepOptions options = Options();
  EXPECT_FALSE(Acts("state_every", options));
  EXPECT_FALSE(Acts("checkpoint_batch", options));
  options.resume = true;
  options.checkpoint = "w.pt";
  EXPECT_TRUE(Acts("state_every", options));
  EXPECT_TRUE(Acts("checkpoint_batch", options));
}

TEST(SweepFlagUsesTest, TheStepsOwn) {
  TrainSweepOptions options = Options();
  EXPECT_TRUE(Acts("loader_workers", options));
  EXPECT_FALSE(Acts("cudnn_convolutions", options));
  options.spec.set_preset("fast");
  EXPECT_FALSE(Acts("loader_workers", options));
  EXPECT_TRUE(Acts("cudnn_convolutions", options));
  options.spec.mutable_training()->set_step(proto::AUTOGRAD);  // overrides the preset
  EXPECT_FALSE(Acts("cudnn_convolutions", options));
  EXPECT_FALSE(Acts("loader_workers", options));
  options.spec.mutable_training()->set_resident_images(false);
  EXPECT_TRUE(Acts("loader_workers", options));
}

TEST(SweepFlagUsesTest, TheBatchSweep) {
  TrainSweepOptions options = Options();
  for (const char* flag : {"min_batch", "factor", "max_batch"}) {
    EXPECT_TRUE(Acts(flag, options)) << flag;
  }
  options.spec.add_batch_size(32);
  for (const char* flag : {"min_batch", "factor", "max_batch"}) {
    EXPECT_FALSE(Acts(flag, options)) << flag;
  }
  options.spec.set_find_max(true);
  EXPECT_TRUE(Acts("max_batch", options));
  EXPECT_FALSE(Acts("factor", options));
}

}  // namespace
}  // namespace lockstep
