// Tests the meaning of flags, and which flags are refused. Starts no tool and trains nothing.
#include "lib/train/sweep_plan.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lib/base/flag_values.h"
#include "lib/dataset/small_dataset_testing.h"
#include "lib/testing/matchers.h"
#include "lib/train/schedule.h"
#include "lib/train/step_switches.h"
#include "lib/train/train_step.h"
#include "lib/train/training_spec.h"

namespace lockstep {
namespace {

using ::lockstep::testing::EqualsProto;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::SmallDataset;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::testing::HasSubstr;

const c10::Device kCpu(c10::kCPU);
const c10::Device kGpu(c10::kCUDA, 0);  // device of plans, never used

// Returns the options that the tool has without flags.
TrainSweepOptions Defaults() {
  TrainSweepOptions options;
  options.input = "dataset.rec";
  options.device = "cpu";
  options.spec.set_preset("lab");
  proto::TrainingSpec& training = *options.spec.mutable_training();
  training.set_model("resnet18");
  training.set_loader_workers(2);
  training.set_momentum(0.9);
  training.set_weight_decay(5e-4);
  training.set_threads(1);
  training.set_schedule(proto::CONSTANT);
  training.set_accumulate(1);
  EXPECT_THAT(SetEpochs(0, 0, training), IsOk());
  return options;
}

// Runs both checks that the stage makes before it trains, for 40 training images.
absl::Status Check(const TrainSweepOptions& options) {
  const absl::Status status = CheckSweepOptions(options);
  return status.ok() ? PlanSweep(options, SmallDataset(40, 20)).status() : status;
}

// Returns the spec of train_sweep for flags about the step, such as "--preset=fast --fused_sums=false". All flags must
// parse.
proto::SweepSpec Asked(const std::string& flags) {
  proto::SweepSpec spec = Defaults().spec;
  proto::TrainingSpec& training = *spec.mutable_training();
  for (const absl::string_view flag : absl::StrSplit(flags, ' ', absl::SkipEmpty())) {
    const std::pair<std::string, std::string> given =
        absl::StrSplit(absl::StripPrefix(flag, "--"), absl::MaxSplits('=', 1));
    const auto& [name, value] = given;
    if (name == "preset") {
      spec.set_preset(value);
    } else if (name == "model") {
      training.set_model(value);
    } else if (name == "loader_workers") {
      training.set_loader_workers(3);
    } else if (name == "step") {
      training.set_step(*ParseEnum<proto::StepKind>(name, value));
    } else if (name == "evaluation") {
      training.set_evaluation(*ParseEnum<proto::StepKind>(name, value));
    } else if (name == "precision") {
      training.set_precision(*ParseEnum<proto::Precision>(name, value));
    } else {
      const auto* field = training.GetDescriptor()->FindFieldByName(name);
      training.GetReflection()->SetBool(&training, field, value != "false");
    }
  }
  return spec;
}

proto::TrainingSpec Settled(const proto::SweepSpec& asked, c10::Device device) {
  return SettleTraining(asked.preset(), asked.training(), device);
}

// Returns the tool's message about the step on CUDA: the line of the plan, or the reason why the step is refused.
std::string MessageOf(const proto::SweepSpec& asked) {
  const proto::TrainingSpec training = Settled(asked, kGpu);
  for (const absl::Status& status : {CheckTrainingSpec(training), CheckSwitches(training)}) {
    if (!status.ok()) {
      return std::string(status.message());
    }
  }
  return StepText(training);
}

// Covers every preset, and every override of each preset by itself; then combinations that a rule refers to.
TEST(SweepPlanTest, PresetsChooseThePiecesAndFlagsOverrideThem) {
  constexpr char kAllPieces[] =
      "step: fused in bf16, channels-last, CUDA graph, second stream, fused sums, fused batch norm, own weight "
      "gradients, "
      "divided multiprocessors";
  const std::string fast = absl::StrCat(kAllPieces, "; evaluation by its forward pass");
  const char* const kAllOfFast = fast.c_str();
  const std::pair<const char*, const char*> cases[] = {
      {"", "step: autograd in fp32, NCHW"},
      {"--preset=lab", "step: autograd in fp32, NCHW"},
      {"--preset=fast", kAllOfFast},
      {"--step=fused", "step: fused in fp32, channels-last, second stream, own convolutions"},
      {"--preset=fast --step=autograd", "step: autograd in bf16, channels-last, CUDA graph, data set on the GPU"},
      {"--preset=fast --evaluation=autograd", kAllPieces},
      {"--preset=fast --evaluation=fused", kAllOfFast},
      {"--evaluation=autograd", "step: autograd in fp32, NCHW"},
      {"--evaluation=fused",
       "--evaluation=fused is the forward pass of --step=fused; leave it out, or add --step=fused"},
      {"--preset=fast --step=autograd --evaluation=fused",
       "--evaluation=fused is the forward pass of --step=fused; leave it out, or add --step=fused"},
      {"--step=fused --evaluation=fused",
       "step: fused in fp32, channels-last, second stream, own convolutions; evaluation by its forward pass"},
      {"--precision=tf32", "step: autograd in tf32, NCHW"},
      {"--precision=bf16", "step: autograd in bf16, NCHW"},
      {"--channels_last", "step: autograd in fp32, channels-last"},
      {"--preset=fast --precision=fp32",
       "step: fused in fp32, channels-last, CUDA graph, second stream, own convolutions"
       "; evaluation by its forward pass"},
      {"--preset=fast --precision=tf32",
       "step: fused in tf32, channels-last, CUDA graph, second stream"
       "; evaluation by its forward pass"},
      {"--preset=fast --cudnn_convolutions",
       "step: fused in bf16, channels-last, CUDA graph, second stream"
       "; evaluation by its forward pass"},
      {"--preset=fast --precision=fp32 --cudnn_convolutions",
       "step: fused in fp32, channels-last, CUDA graph, second stream"
       "; evaluation by its forward pass"},
      {"--preset=fast --cudnn_convolutions --fused_sums=true",
       "--fused_sums=true needs Lockstep's own kernels, found --cudnn_convolutions=true; leave one out"},
      {"--cudnn_convolutions", "step: autograd in fp32, NCHW"},
      {"--preset=fast --channels_last=false", "--channels_last=false: --step=fused is channels-last; leave one out"},
      {"--step=fused --precision=bf16",
       "step: fused in bf16, channels-last, second stream, fused sums, fused batch norm, own weight gradients, divided "
       "multiprocessors"},
      {"--step=fused --precision=bf16 --cuda_graph", kAllPieces},
      {"--cuda_graph=true", "step: autograd in fp32, NCHW, CUDA graph, data set on the GPU"},
      {"--cuda_graph=true --resident_images=false", "step: autograd in fp32, NCHW, CUDA graph"},
      {"--resident_images=true",
       "--resident_images=true with --step=autograd needs the inputs of a captured step; add --cuda_graph, or leave it "
       "out"},
      {"--preset=fast --resident_images=false",
       "--resident_images=false: --step=fused reads the data set from GPU memory; leave it out, or give "
       "--step=autograd"},
      {"--cuda_graph=false", "step: autograd in fp32, NCHW"},
      {"--second_stream=true", "--second_stream=true applies to --step=fused; leave it out, or add --step=fused"},
      {"--second_stream=false", "step: autograd in fp32, NCHW"},
      {"--fused_sums=true", "--fused_sums=true applies to --step=fused in bf16, found AUTOGRAD in FP32"},
      {"--fused_sums=false", "step: autograd in fp32, NCHW"},
      {"--fused_batch_norm=true", "--fused_batch_norm=true applies to --step=fused in bf16, found AUTOGRAD in FP32"},
      {"--fused_batch_norm=false", "step: autograd in fp32, NCHW"},
      {"--own_weight_gradients=true",
       "--own_weight_gradients=true applies to --step=fused in bf16, found AUTOGRAD in FP32"},
      {"--own_weight_gradients=false", "step: autograd in fp32, NCHW"},
      {"--own_convolutions=true", "--own_convolutions=true applies to --step=fused in fp32, found AUTOGRAD in FP32"},
      {"--own_convolutions=false", "step: autograd in fp32, NCHW"},
      {"--divide_multiprocessors=true",
       "--divide_multiprocessors=true applies to --step=fused in bf16, found AUTOGRAD in FP32"},
      {"--divide_multiprocessors=false", "step: autograd in fp32, NCHW"},
      {"--preset=fast --cuda_graph=true", kAllOfFast},
      {"--preset=fast --cuda_graph=false",
       "step: fused in bf16, channels-last, second stream, fused sums, fused batch norm, own weight gradients, divided "
       "multiprocessors"
       "; evaluation by its forward pass"},
      {"--preset=fast --second_stream=true", kAllOfFast},
      {"--preset=fast --second_stream=false",
       "step: fused in bf16, channels-last, CUDA graph, fused sums, fused batch norm, own weight gradients"
       "; evaluation by its forward pass"},
      {"--preset=fast --fused_sums=true", kAllOfFast},
      {"--preset=fast --fused_sums=false",
       "step: fused in bf16, channels-last, CUDA graph, second stream, own weight gradients, divided multiprocessors"
       "; evaluation by its forward pass"},
      {"--preset=fast --fused_batch_norm=true", kAllOfFast},
      {"--preset=fast --fused_batch_norm=false",
       "step: fused in bf16, channels-last, CUDA graph, second stream, fused sums, own weight gradients, divided "
       "multiprocessors"
       "; evaluation by its forward pass"},
      {"--preset=fast --own_weight_gradients=true", kAllOfFast},
      {"--preset=fast --own_weight_gradients=false",
       "step: fused in bf16, channels-last, CUDA graph, second stream, fused sums, fused batch norm, divided "
       "multiprocessors"
       "; evaluation by its forward pass"},
      {"--preset=fast --own_convolutions=true",
       "--own_convolutions=true applies to --step=fused in fp32, found FUSED in BF16"},
      {"--preset=fast --own_convolutions=false", kAllOfFast},
      {"--preset=fast --divide_multiprocessors=true", kAllOfFast},
      {"--preset=fast --divide_multiprocessors=false",
       "step: fused in bf16, channels-last, CUDA graph, second stream, fused sums, fused batch norm, own weight "
       "gradients"
       "; evaluation by its forward pass"},
      {"--preset=fast --precision=fp32 --own_convolutions=false",
       "step: fused in fp32, channels-last, CUDA graph, second stream"
       "; evaluation by its forward pass"},
      {"--preset=fast --precision=fp32 --fused_sums=true",
       "--fused_sums=true applies to --step=fused in bf16, found FUSED in FP32"},
      {"--preset=fast --second_stream=false --divide_multiprocessors=true",
       "--divide_multiprocessors=true divides the multiprocessors between two streams, found --second_stream=false"},
      {"--preset=fast --fused_sums=false --fused_batch_norm=true",
       "--fused_batch_norm=true needs the sums of --fused_sums, found --fused_sums=false"},
      {"--preset=fast --model=resnet34", kAllOfFast},
      {"--preset=fast --model=lenet5", "step: autograd in bf16, channels-last, CUDA graph, data set on the GPU"},
      {"--preset=fast --model=lenet5 --cuda_graph=false", "step: autograd in bf16, channels-last"},
      {"--step=fused --model=lenet5",
       "--step=fused is written for resnet18 and resnet34, not lenet5; use --step=autograd"},
      {"--preset=fast --loader_workers=3", kAllOfFast},
  };
  for (const auto& [flags, message] : cases) {
    EXPECT_EQ(MessageOf(Asked(flags)), message) << flags;
  }
}

// Unset means LibTorch, like in older records. Settled settings do not change when they are settled again.
TEST(SweepPlanTest, TheFusedStepOfTheFastPresetEvaluates) {
  const std::pair<const char*, proto::StepKind> cases[] = {
      {"", proto::STEP_KIND_UNSPECIFIED},
      {"--evaluation=autograd", proto::STEP_KIND_UNSPECIFIED},
      {"--step=fused", proto::STEP_KIND_UNSPECIFIED},
      {"--step=fused --evaluation=fused", proto::FUSED},
      {"--preset=fast", proto::FUSED},
      {"--preset=fast --precision=fp32", proto::FUSED},
      {"--preset=fast --evaluation=autograd", proto::AUTOGRAD},
      {"--preset=fast --step=autograd", proto::STEP_KIND_UNSPECIFIED},
      {"--preset=fast --model=lenet5", proto::STEP_KIND_UNSPECIFIED}};
  for (const auto& [flags, evaluation] : cases) {
    proto::SweepSpec asked = Asked(flags);
    *asked.mutable_training() = Settled(asked, kGpu);
    EXPECT_EQ(asked.training().evaluation(), evaluation) << flags;
    EXPECT_EQ(Settled(asked, kGpu).evaluation(), evaluation) << flags;
  }
}

TEST(SweepPlanTest, EverySwitchIsSettled) {
  for (const char* flags : {"", "--preset=fast", "--step=fused", "--preset=fast --step=autograd"}) {
    const proto::TrainingSpec training = Settled(Asked(flags), kGpu);
    for (int i = 0; i < training.GetDescriptor()->field_count(); ++i) {
      const auto* field = training.GetDescriptor()->field(i);
      EXPECT_TRUE(!field->has_optional_keyword() || training.GetReflection()->HasField(training, field))
          << flags << " leaves open " << field->name();
    }
  }
}

TEST(SweepPlanTest, ASettledSpecSettlesToItself) {
  for (const char* flags : {"", "--preset=fast", "--preset=fast --second_stream=false", "--step=fused"}) {
    proto::SweepSpec spec = Asked(flags);
    const proto::TrainingSpec once = Settled(spec, kGpu);
    *spec.mutable_training() = once;
    EXPECT_THAT(Settled(spec, kGpu), EqualsProto(once.DebugString())) << flags;
  }
}

TEST(SweepPlanTest, ACapturedStepsBatchesAreMadeOnTheDevice) {
  EXPECT_TRUE(Settled(Asked("--preset=fast"), kGpu).resident_images());
  EXPECT_EQ(Settled(Asked("--preset=fast --loader_workers=3"), kGpu).loader_workers(), 0);
  EXPECT_TRUE(Settled(Asked("--cuda_graph"), kGpu).resident_images());
  EXPECT_EQ(Settled(Asked("--cuda_graph --resident_images=false --loader_workers=3"), kGpu).loader_workers(), 3);
  EXPECT_FALSE(Settled(Asked(""), kGpu).resident_images());
  EXPECT_EQ(Settled(Asked("--loader_workers=3"), kGpu).loader_workers(), 3);
}

// These fields stay unset, as in older records, which had no choice.
TEST(SweepPlanTest, WhatIsNoChoiceStaysUnset) {
  const proto::TrainingSpec training = Settled(Asked(""), kCpu);
  EXPECT_EQ(training.schedule(), proto::SCHEDULE_UNSPECIFIED);
  EXPECT_EQ(training.accumulate(), 0);
  EXPECT_EQ(training.lr_gamma(), 0);
}

TEST(SweepPlanTest, TheFusedStepTakesMicroBatches) {
  proto::SweepSpec spec = Asked("--preset=fast");
  spec.mutable_training()->set_accumulate(4);
  EXPECT_THAT(CheckTrainingSpec(Settled(spec, kGpu)), IsOk());
}

TEST(SweepPlanTest, ThePlanNamesTheStep) {
  SweepPlan plan;
  *plan.spec.mutable_training() = Settled(Asked(""), kCpu);
  EXPECT_THAT(PlanText(plan), HasSubstr("\n  step: autograd in fp32, NCHW\n"));
}

// Two processes with the same flags agree on everything. The order adds what concerns only the second process.
TEST(SweepPlanTest, APointsOrderIsThePlanAndWhatIsItsOwn) {
  TrainSweepOptions options = Defaults();
  options.spec.add_batch_size(8);
  options.spec.add_batch_size(16);
  options.spec.set_target_accuracy(0.5);
  options.checkpoint = TempPath("x.pt");
  options.resume = true;
  options.output = TempPath("sweep.rec");
  options.timeout = absl::Seconds(5);
  const auto plan = PlanSweep(options, SmallDataset(40, 20));
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->spec.evaluate_every(), 1);  // because a target is set
  const proto::PointOrder order = MakePointOrder(options, *plan, 16);
  EXPECT_EQ(order.batch_size(), 16);
  EXPECT_THAT(order.spec().training(), EqualsProto(plan->spec.training().DebugString()));
  EXPECT_EQ(order.spec().evaluate_every(), 1);
  EXPECT_EQ(order.spec().target_accuracy(), 0.5);
  EXPECT_TRUE(order.evaluate());
  EXPECT_EQ(order.timeout_seconds(), 5);
  EXPECT_EQ(order.dataset_path(), "dataset.rec");
  EXPECT_EQ(order.checkpoint_path(), "");
  EXPECT_EQ(order.state_path(), options.output + ".batch16.state");
  EXPECT_EQ(MakePointOrder(options, *plan, 8).checkpoint_path(), options.checkpoint);

  const proto::PointOrder probe = MakeProbeOrder(options, *plan, 8);
  EXPECT_FALSE(probe.evaluate());
  EXPECT_EQ(probe.spec().evaluate_every(), 0);
  EXPECT_EQ(probe.spec().target_accuracy(), 0);
  EXPECT_EQ(probe.checkpoint_path(), "");
  EXPECT_EQ(probe.state_path(), "");
  EXPECT_EQ(TotalEpochs(probe.spec().training()), 1);
}

TEST(SweepPlanTest, TheDefaultsPass) { EXPECT_THAT(Check(Defaults()), IsOk()); }

// Flag values that are not possible, and the error message.
struct Impossible {
  std::function<void(TrainSweepOptions&)> ask;
  std::string says;
};

TEST(SweepPlanTest, RefusesWhatCannotBe) {
  const std::vector<Impossible> all = {
      {[](auto& o) { o.input = ""; }, "--input is missing"},
      {[](auto& o) { o.output = ""; }, "--output is empty"},
      {[](auto& o) { o.spec.add_batch_size(100); }, "--batch_size=100 is larger than the training set of 40"},
      {[](auto& o) { o.spec.set_preset("slow"); }, "--preset=slow: expected lab or fast"},
      {[](auto& o) { o.spec.mutable_training()->set_precision(proto::TF32); }, "precision TF32 needs a GPU"},
      {[](auto& o) { o.spec.mutable_training()->set_cuda_graph(true); },
       "--cuda_graph=true captures a CUDA graph, but the device is a CPU"},
      {[](auto& o) { o.spec.mutable_training()->set_fused_sums(true); },
       "--fused_sums=true applies to --step=fused in bf16, found AUTOGRAD in FP32"},
      {[](auto& o) { o.spec.mutable_training()->set_model("alexnet"); }, "alexnet"},
      {[](auto& o) { o.spec.mutable_training()->set_momentum(-1); }, "--momentum=-1"},
      {[](auto& o) { o.spec.mutable_training()->set_schedule(proto::MULTISTEP); }, "--lr_milestones is missing"},
      {[](auto& o) { o.spec.mutable_training()->set_lr_warmup_epochs(6); },
       "--lr_warmup_epochs=6 is not below the 6 epochs"},
      {[](auto& o) { o.spec.mutable_training()->set_accumulate(7); }, "--accumulate=7: batch 32 cannot be divided"},
      {[](auto& o) { o.spec.mutable_training()->set_accumulate(2), o.spec.set_find_max(true); },
       "leave --accumulate out"},
      {[](auto& o) { o.state_every = 0; }, "--state_every=0"},
      {[](auto& o) { o.spec.set_target_accuracy(94); }, "--target_accuracy=94: expected a fraction"},
      {[](auto& o) { o.evaluate = false, o.spec.set_target_accuracy(0.9); }, "--noevaluate"},
      {[](auto& o) { o.evaluate = false, o.spec.mutable_training()->set_evaluation(proto::AUTOGRAD); },
       "--noevaluate: --evaluation chooses the forward pass"},
      {[](auto& o) { o.batch_sweep.factor = 1; }, "--factor=1"},
      {[](auto& o) { o.spec.mutable_training()->set_repeats(4294967295); },
       "expected at most 1000000, found 1 and 4294967295"},
      {[](auto& o) { o.spec.mutable_training()->set_threads(2147483648); }, "OMP_THREAD_LIMIT allows 2147483647"},
      {[](auto& o) { o.resume = true, o.output = "-"; }, "--resume keeps its state next to the output"},
      {[](auto& o) { o.spec.add_batch_size(8), o.checkpoint_batch = 16, o.checkpoint = TempPath("x.pt"); },
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
