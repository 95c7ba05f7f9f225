#include "lib/scale_run/scale_flag_uses.h"

#include <algorithm>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/scale_run/point_variants.h"

namespace lockstep {
namespace {

using ::testing::UnorderedElementsAre;

ScaleRunOptions Options() {
  ScaleRunOptions options;
  proto::ScaleSpec& spec = options.spec;
  spec.set_mode(proto::DDP);
  spec.set_preset("lab");
  spec.mutable_training()->set_model("resnet18");
  spec.set_batch_mode(proto::PER_DEVICE);
  spec.set_ablation(true);
  spec.add_ranks(1);
  spec.add_ranks(2);
  options.resume = true;  // flags of kept files: sweep_flag_uses_test
  options.checkpoint = "w.pt";
  return options;
}

// Returns the flags with no effect.
std::vector<std::string> Idle(const ScaleRunOptions& options) {
  std::vector<std::string> idle;
  for (const FlagUse& use : ScaleFlagUses(options)) {
    if (!use.acts) {
      idle.insert(idle.end(), use.flags.begin(), use.flags.end());
    }
  }
  return idle;
}

TEST(ScaleFlagUsesTest, ARunOfDdp) {
  EXPECT_THAT(Idle(Options()), UnorderedElementsAre("seeds", "rows", "cudnn_convolutions"));
  ScaleRunOptions one = Options();
  one.spec.mutable_ranks()->RemoveLast();
  EXPECT_THAT(Idle(one), UnorderedElementsAre("seeds", "rows", "cudnn_convolutions", "ablation"));
  one.spec.set_ablation(false);
  EXPECT_THAT(Idle(one), UnorderedElementsAre("seeds", "rows", "cudnn_convolutions"));
}

TEST(ScaleFlagUsesTest, ARunOfDp) {
  ScaleRunOptions options = Options();
  options.spec.set_mode(proto::DP);
  EXPECT_THAT(Idle(options),
              UnorderedElementsAre("seeds", "rows", "cudnn_convolutions", "ablation", "overlap", "backend", "reducer",
                                   "bucket_mib", "first_bucket_mib", "bucket_plan"));
}

TEST(ScaleFlagUsesTest, AFusedRun) {
  ScaleRunOptions options = Options();
  options.spec.set_preset("fast");
  EXPECT_THAT(Idle(options),
              UnorderedElementsAre("seeds", "rows", "loader_workers", "bucket_mib", "first_bucket_mib", "bucket_plan"));
}

TEST(ScaleFlagUsesTest, AFlagActsIfOneOfSeveralWaysTakesIt) {
  ScaleRunOptions options = Options();
  ASSERT_TRUE(SetWords("mode", {"dp", "ddp"}, options.spec).ok());
  ASSERT_TRUE(SetWords("preset", {"fast", "lab"}, options.spec).ok());
  EXPECT_THAT(Idle(options), UnorderedElementsAre("seeds", "rows"));
}

TEST(ScaleFlagUsesTest, Experiments) {
  ScaleRunOptions options = Options();
  options.spec.set_experiment(proto::LARGE_BATCH);
  EXPECT_THAT(Idle(options), UnorderedElementsAre("cudnn_convolutions", "batch_mode", "ablation"));
  options.spec.set_batch_mode(proto::GLOBAL);
  options.spec.set_ablation(false);
  options.spec.set_preset("fast");
  options.spec.mutable_training()->set_step(proto::AUTOGRAD);
  options.spec.set_experiment(proto::SAMPLER_EPOCH);
  EXPECT_THAT(Idle(options), UnorderedElementsAre("cudnn_convolutions", "loader_workers", "no_set_epoch"));
  options.spec.mutable_training()->set_resident_images(false);
  options.spec.set_experiment(proto::WHAT_IS_SENT);
  EXPECT_THAT(Idle(options), UnorderedElementsAre("cudnn_convolutions", "buffers"));
}

}  // namespace
}  // namespace lockstep
