// What flags become, and which are refused. No tool is started and nothing is trained.
#include "lib/train/sweep_plan.h"

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/dataset/small_dataset.h"
#include "lib/testing/matchers.h"
#include "lib/train/train_step.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::SmallDataset;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::testing::HasSubstr;

const c10::Device kCpu(c10::kCPU);
const c10::Device kGpu(c10::kCUDA, 0);  // planned for, not used

// As the tool fills them without flags.
TrainSweepOptions Defaults() {
  TrainSweepOptions options;
  options.input = "dataset.rec";
  options.device = "cpu";
  options.training.set_model("resnet18");
  options.training.set_momentum(0.9);
  options.training.set_weight_decay(5e-4);
  options.training.set_threads(1);
  return options;
}

// Both checks that the stage makes before it trains, for 40 training images.
absl::Status Check(const TrainSweepOptions& options) {
  const absl::Status status = CheckSweepOptions(options);
  return status.ok() ? PlanSweep(options, SmallDataset(40, 20)).status() : status;
}

TEST(SweepPlanTest, PresetsChooseThePiecesAndFlagsOverrideThem) {
  TrainSweepOptions options = Defaults();
  EXPECT_FALSE(MakeTrainingSpec(options, kGpu).fused_sums());
  options.preset = "fast";
  proto::TrainingSpec fast = MakeTrainingSpec(options, kGpu);
  EXPECT_EQ(fast.step(), proto::FUSED);
  EXPECT_EQ(fast.precision(), proto::BF16);
  EXPECT_TRUE(fast.cuda_graph() && fast.second_stream() && fast.fused_sums() && fast.fused_norms() &&
              fast.own_weight_gradients() && fast.divide_multiprocessors() && fast.channels_last() &&
              fast.resident_images());
  options.second_stream = "false";
  EXPECT_FALSE(MakeTrainingSpec(options, kGpu).divide_multiprocessors());
  options.second_stream = "";
  options.fused_sums = "false";
  EXPECT_FALSE(MakeTrainingSpec(options, kGpu).fused_sums());
  EXPECT_FALSE(MakeTrainingSpec(options, kGpu).fused_norms());
  EXPECT_TRUE(MakeTrainingSpec(options, kGpu).own_weight_gradients());
  EXPECT_TRUE(MakeTrainingSpec(options, kGpu).second_stream());
  options.fused_sums = "";
  EXPECT_FALSE(MakeTrainingSpec(options, kGpu).own_convolutions());
  options.precision = "tf32";  // whose convolutions are cuDNN's alone
  EXPECT_FALSE(MakeTrainingSpec(options, kGpu).fused_sums());
  EXPECT_FALSE(MakeTrainingSpec(options, kGpu).own_weight_gradients());
  EXPECT_FALSE(MakeTrainingSpec(options, kGpu).own_convolutions());
  options.precision = "fp32";
  EXPECT_TRUE(MakeTrainingSpec(options, kGpu).own_convolutions());
  options.own_convolutions = "false";
  EXPECT_FALSE(MakeTrainingSpec(options, kGpu).own_convolutions());
}

TEST(SweepPlanTest, TheFusedStepTakesMicroBatches) {
  TrainSweepOptions options = Defaults();
  options.preset = "fast";
  options.training.set_accumulate(4);
  EXPECT_THAT(CheckTrainingSpec(MakeTrainingSpec(options, kGpu)), IsOk());
}

TEST(SweepPlanTest, ThePlanNamesThePieces) {
  SweepPlan plan;
  TrainSweepOptions options = Defaults();
  *plan.spec.mutable_training() = MakeTrainingSpec(options, kCpu);
  EXPECT_THAT(PlanText(plan), HasSubstr("\n  step: autograd in fp32, NCHW\n"));
  options.preset = "fast";
  *plan.spec.mutable_training() = MakeTrainingSpec(options, kGpu);
  EXPECT_THAT(PlanText(plan),
              HasSubstr("\n  step: fused in bf16, channels-last, CUDA graph, second stream, fused sums, "
                        "fused norms, own weight gradients, divided multiprocessors\n"));
  options.fused_sums = "false";
  *plan.spec.mutable_training() = MakeTrainingSpec(options, kGpu);
  EXPECT_THAT(PlanText(plan), HasSubstr("second stream, own weight gradients, divided multiprocessors\n"));
  options.divide_multiprocessors = "false";
  *plan.spec.mutable_training() = MakeTrainingSpec(options, kGpu);
  EXPECT_THAT(PlanText(plan), HasSubstr("second stream, own weight gradients\n"));
  options.divide_multiprocessors = "";
  options.precision = "fp32";
  *plan.spec.mutable_training() = MakeTrainingSpec(options, kGpu);
  EXPECT_THAT(PlanText(plan), HasSubstr("fused in fp32, channels-last, CUDA graph, second stream, own convolutions\n"));
}

TEST(SweepPlanTest, TheDefaultsPass) { EXPECT_THAT(Check(Defaults()), IsOk()); }

// One thing that cannot be, and what is said of it.
struct Impossible {
  std::function<void(TrainSweepOptions&)> ask;
  std::string says;
};

TEST(SweepPlanTest, RefusesWhatCannotBe) {
  const std::vector<Impossible> all = {
      {[](auto& o) { o.input = ""; }, "--input is missing"},
      {[](auto& o) { o.output = ""; }, "--output is empty"},
      {[](auto& o) { o.ladder.batches = {100}; }, "--batch=100 is larger than the training set of 40"},
      {[](auto& o) { o.preset = "slow"; }, "--preset=slow: expected lab or fast"},
      {[](auto& o) { o.precision = "fp16"; }, "--precision=fp16: expected fp32, tf32 or bf16"},
      {[](auto& o) { o.precision = "tf32"; }, "precision TF32 is the GPU's"},
      {[](auto& o) { o.memory_format = "nhwc"; }, "--memory_format=nhwc: expected nchw or channels_last"},
      {[](auto& o) { o.step = "both"; }, "--step=both: expected autograd or fused"},
      {[](auto& o) { o.graph = "true"; }, "--graph=true captures a CUDA graph; this is the CPU"},
      {[](auto& o) { o.second_stream = "yes"; }, "--second_stream=yes: expected true or false"},
      {[](auto& o) { o.fused_sums = "yes"; }, "--fused_sums=yes: expected true or false"},
      {[](auto& o) { o.fused_sums = "true"; },
       "--fused_sums=true is a piece of --step=fused in bf16; this is AUTOGRAD in FP32"},
      {[](auto& o) { o.own_weight_gradients = "true"; },
       "--own_weight_gradients=true is a piece of --step=fused in bf16"},
      {[](auto& o) { o.own_convolutions = "true"; },
       "--own_convolutions=true is a piece of --step=fused in fp32; this is AUTOGRAD in FP32"},
      {[](auto& o) { o.own_convolutions = "all"; }, "--own_convolutions=all: expected true or false"},
      {[](auto& o) { o.fused_norms = "maybe"; }, "--fused_norms=maybe: expected true or false"},
      {[](auto& o) { o.divide_multiprocessors = "2"; }, "--divide_multiprocessors=2: expected true or false"},
      {[](auto& o) { o.divide_multiprocessors = "true"; },
       "--divide_multiprocessors=true is a piece of --step=fused in bf16"},
      {[](auto& o) { o.training.set_model("alexnet"); }, "alexnet"},
      {[](auto& o) { o.training.set_momentum(-1); }, "--momentum=-1"},
      {[](auto& o) { o.schedule = "linear"; }, "--schedule=linear: expected constant, multistep, cosine or one_cycle"},
      {[](auto& o) { o.schedule = "multistep"; }, "--lr_milestones is missing"},
      {[](auto& o) { o.lr_warmup_epochs = 6; }, "--lr_warmup_epochs=6 is not below the 6 epochs"},
      {[](auto& o) { o.training.set_accumulate(7); }, "--accumulate=7: batch 32 cannot be divided"},
      {[](auto& o) { o.training.set_accumulate(2), o.find_max = true; }, "leave --accumulate out"},
      {[](auto& o) { o.state_every = 0; }, "--state_every=0"},
      {[](auto& o) { o.target_accuracy = 94; }, "--target_accuracy=94: expected a fraction"},
      {[](auto& o) { o.evaluate = false, o.target_accuracy = 0.9; }, "--noevaluate"},
      {[](auto& o) { o.ladder.factor = 1; }, "--factor=1"},
      {[](auto& o) { o.epochs = 3, o.repeats = 3; }, "give one of the two"},
      {[](auto& o) { o.repeats = 4294967295; }, "expected at most 1000000, found 1 and 4294967295"},
      {[](auto& o) { o.training.set_threads(2147483648); }, "OMP_THREAD_LIMIT allows 2147483647"},
      {[](auto& o) { o.resume = true, o.output = "-"; }, "--resume keeps its state beside the output"},
      {[](auto& o) { o.ladder.batches = {8}, o.checkpoint_batch = 16, o.checkpoint = TempPath("x.pt"); },
       "--checkpoint_batch=16"},
      {[](auto& o) { o.checkpoint = "-"; }, "--checkpoint=-"}};
  for (const Impossible& impossible : all) {
    TrainSweepOptions options = Defaults();
    impossible.ask(options);
    EXPECT_THAT(Check(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(impossible.says)));
  }
}

TEST(SweepPlanTest, OnlyAGpuHasATimeoutThatNobodyAskedFor) {
  TrainSweepOptions options;
  EXPECT_EQ(TimeoutOf(options, kGpu), absl::Minutes(2));
  EXPECT_EQ(TimeoutOf(options, kCpu), absl::InfiniteDuration());
  options.timeout = absl::Seconds(5);
  EXPECT_EQ(TimeoutOf(options, kGpu), absl::Seconds(5));
  EXPECT_EQ(TimeoutOf(options, kCpu), absl::Seconds(5));
}

}  // namespace
}  // namespace lockstep
