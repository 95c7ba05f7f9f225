#include "lib/train/sweep_plan.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/flag_values.h"
#include "lib/base/readable_number.h"
#include "lib/base/status_macros.h"
#include "lib/dataset/normalization.h"
#include "lib/device/compute_threads.h"
#include "lib/device/device.h"
#include "lib/networks/networks.h"
#include "lib/nn/model.h"
#include "lib/record/digest.h"
#include "lib/record/output_place.h"
#include "lib/train/schedule.h"
#include "lib/train/step_switches.h"
#include "lib/train/train_step.h"
#include "lib/train/training_spec.h"

namespace lockstep {
namespace {

// Checks the paths of the states that --resume keeps. Opening a FIFO there would block until a writer opens it.
absl::Status CheckStatePlaces(const TrainSweepOptions& options, const std::vector<uint32_t>& batches) {
  for (const uint32_t batch : options.resume ? batches : std::vector<uint32_t>()) {
    RETURN_IF_ERROR(CheckOutputPlace(StatePath(options, batch)));
  }
  return absl::OkStatus();
}

absl::StatusOr<BatchSweep> PlanBatches(const TrainSweepOptions& options, uint64_t training_images) {
  const auto& batches = options.spec.batch_size();
  return batches.empty() ? PlanBatchSweep(options.batch_sweep, training_images)
                         : PlanByHand({batches.begin(), batches.end()}, training_images);
}

absl::StatusOr<uint32_t> ChooseCheckpointBatch(const TrainSweepOptions& options, const std::vector<uint32_t>& batches) {
  if (options.checkpoint.empty() || batches.empty()) {
    return 0;
  }
  const uint32_t batch = options.checkpoint_batch != 0 ? options.checkpoint_batch : batches.front();
  if (std::find(batches.begin(), batches.end(), batch) == batches.end()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--checkpoint_batch=", batch, " is not one of the batches that are planned: ", absl::StrJoin(batches, ", ")));
  }
  return batch;
}

absl::Status CheckAccumulate(const proto::SweepSpec& spec) {
  const uint32_t parts = spec.training().accumulate();
  if (parts > 1 && spec.find_max()) {
    return absl::InvalidArgumentError(
        "--find_max looks for the largest batch that fits undivided; leave --accumulate out");
  }
  for (const uint32_t batch : spec.batch_size()) {
    if (parts > 1 && batch % parts != 0) {
      return absl::InvalidArgumentError(absl::StrCat("--accumulate=", parts, ": batch ", batch,
                                                     " cannot be divided into so many equal micro-batches"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Duration TimeoutOf(const TrainSweepOptions& options, c10::Device device) {
  return options.timeout > absl::ZeroDuration() ? options.timeout
         : device.is_cuda()                     ? absl::Minutes(2)
                                                : absl::InfiniteDuration();
}

absl::StatusOr<SweepPlan> PlanSweep(const TrainSweepOptions& options, const Dataset& dataset) {
  SweepPlan plan;
  plan.dataset_path = options.input;
  plan.spec = options.spec;
  ASSIGN_OR_RETURN(plan.device, ResolveDevice(options.device));
  if (plan.spec.memory_limit_bytes() != 0 && plan.device.is_cuda()) {
    return absl::InvalidArgumentError(
        "--memory_limit_bytes bounds a process on the CPU; on CUDA the GPU's memory is the bound");
  }
  if ((options.evaluate || !options.checkpoint.empty()) && dataset.test.size() == 0) {
    return absl::FailedPreconditionError(
        absl::StrCat(options.input, " has no test images; give --noevaluate, and leave --checkpoint out"));
  }
  *plan.spec.mutable_training() = SettleTraining(options.spec.preset(), options.spec.training(), plan.device);
  if (!options.evaluate) {
    plan.spec.mutable_training()->clear_evaluation();  // LibTorch evaluates a checkpoint
  }
  ASSIGN_OR_RETURN(*plan.spec.mutable_training()->mutable_normalization(),
                   CompleteNormalization(options.spec.training().normalization(), dataset.train.info));
  const proto::TrainingSpec& training = plan.spec.training();
  RETURN_IF_ERROR(CheckTrainingSpec(training));
  RETURN_IF_ERROR(CheckSwitches(training));
  RETURN_IF_ERROR(CheckPrecision(plan.device, training.precision()));
  RETURN_IF_ERROR(ParseModel(training.model()).status());
  RETURN_IF_ERROR(SetComputeThreads(training.threads()));  // counting the model runs it
  const ModelShape shape = ModelShapeOf(dataset.train.info);
  RETURN_IF_ERROR(CheckStepShape(training, shape));
  ASSIGN_OR_RETURN(const std::shared_ptr<Model> model, MakeModel(training.model(), training.seed(), shape));
  if (IsModelFile(training.model())) {
    ASSIGN_OR_RETURN(*plan.spec.mutable_training()->mutable_model_sha256(), Sha256HexOfFile(training.model()));
  }
  if (!options.init.empty()) {
    const NormalizationFlag flag = options.normalization_given ? NormalizationFlag::kGiven : NormalizationFlag::kAbsent;
    ASSIGN_OR_RETURN(plan.init, ReadInitialWeights(options.init, training, flag, *model));
    if (plan.init->normalization_assumed) {
      plan.spec.mutable_training()->mutable_normalization()->set_source(kAssumedNormalization);
    }
    plan.spec.mutable_training()->set_init_sha256(plan.init->input.sha256());
  }
  ASSIGN_OR_RETURN(plan.batch_sweep, PlanBatches(options, dataset.train.size()));
  ASSIGN_OR_RETURN(plan.checkpoint_batch, ChooseCheckpointBatch(options, plan.batch_sweep.batch_sizes));
  plan.dataset_sha256 = dataset.input.sha256();
  *plan.spec.mutable_model() = CountModel(*model);
  plan.spec.mutable_model()->set_training_images(dataset.train.size());
  plan.spec.mutable_model()->set_test_images(dataset.test.size());
  plan.spec.mutable_batch_size()->Assign(plan.batch_sweep.batch_sizes.begin(), plan.batch_sweep.batch_sizes.end());
  RETURN_IF_ERROR(CheckAccumulate(plan.spec));
  RETURN_IF_ERROR(CheckStatePlaces(options, plan.batch_sweep.batch_sizes));
  if (plan.spec.evaluate_every() == 0 && plan.spec.target_accuracy() != 0) {
    plan.spec.set_evaluate_every(1);
  }
  return plan;
}

proto::PointOrder MakePointOrder(const TrainSweepOptions& options, const SweepPlan& plan, uint32_t batch_size) {
  proto::PointOrder order;
  order.set_batch_size(batch_size);
  *order.mutable_spec() = plan.spec;
  order.mutable_spec()->clear_batch_size();
  order.set_evaluate(options.evaluate);
  if (const absl::Duration timeout = TimeoutOf(options, plan.device); timeout != absl::InfiniteDuration()) {
    order.set_timeout_seconds(absl::ToDoubleSeconds(timeout));
  }
  order.set_dataset_path(plan.dataset_path);
  order.set_dataset_sha256(plan.dataset_sha256);
  order.set_init_path(options.init);
  order.set_checkpoint_path(batch_size == plan.checkpoint_batch ? options.checkpoint : "");
  order.set_state_path(StatePath(options, batch_size));
  order.set_state_every(options.state_every);
  order.set_afresh(options.force);
  return order;
}

proto::PointOrder MakeProbeOrder(const TrainSweepOptions& options, const SweepPlan& plan, uint32_t batch_size) {
  proto::PointOrder order = MakePointOrder(options, plan, batch_size);
  order.clear_evaluate();
  order.clear_checkpoint_path();
  order.clear_state_path();
  order.mutable_spec()->clear_evaluate_every();
  order.mutable_spec()->clear_target_accuracy();
  proto::TrainingSpec& training = *order.mutable_spec()->mutable_training();
  training.set_warmup_epochs(kWarmupEpochs);
  training.clear_repeats();
  training.clear_schedule();
  training.clear_lr_milestones();
  training.clear_lr_gamma();
  training.clear_lr_warmup_epochs();
  training.clear_lr_warmup_share();
  training.clear_lr_warmup_start();
  return order;
}

std::map<std::string, std::string> ResultFlags(const TrainSweepOptions& options, const SweepPlan& plan) {
  proto::SweepSpec of_point = plan.spec;
  of_point.clear_batch_size();
  return {{"spec", of_point.ShortDebugString()},
          {"evaluate", absl::StrCat(options.evaluate)},
          {"checkpoint", options.checkpoint},
          {"checkpoint_batch", absl::StrCat(plan.checkpoint_batch)}};
}

std::vector<std::string> PointNames(const SweepPlan& plan) {
  std::vector<std::string> names;
  for (const uint32_t batch : plan.batch_sweep.batch_sizes) {
    names.push_back(absl::StrCat("batch ", batch));
  }
  return names;
}

std::map<std::string, std::string> PointFlags(const SweepPlan& plan) {
  return {{"exceeding", absl::StrCat(plan.batch_sweep.exceeding)}, {"by_hand", absl::StrCat(plan.batch_sweep.by_hand)}};
}

namespace {

// Returns the lines about the initial weights; empty if they are from the seed.
std::string InitText(const SweepPlan& plan) {
  if (!plan.init) {
    return "";
  }
  std::string text = absl::StrCat("  initial weights of ", plan.init->remark, "\n");
  for (const std::string& warning : plan.init->warnings) {
    absl::StrAppend(&text, "  warning: initial weights: ", warning, "\n");
  }
  return text;
}

}  // namespace

std::string PlanText(const SweepPlan& plan) {
  const proto::TrainingSpec& training = plan.spec.training();
  const proto::ModelFacts& model = plan.spec.model();
  const uint32_t epochs = TotalEpochs(training);
  // Forward pass, and backward pass with respect to inputs and weights: three times the forward pass's
  // multiply-accumulates, two operations each. The backward pass for the images themselves is not computed, but the
  // stem's share is below 1 %.
  const double epoch_tflop = 6 * model.forward_macs_per_image() * static_cast<double>(model.training_images()) / 1e12;
  std::string text = absl::StrCat(
      "plan: ", training.model(), " on ", proto::DeviceKind_Name(training.device()), ", ", epochs, " epochs of ",
      model.training_images(), " images at each batch size, about ", epoch_tflop, " TFLOP per epoch\n", "  ",
      RecipeText(training), "\n", InitText(plan), "  ", StepText(training), "\n", HeldOutText(training),
      "  memory besides activations: ", BytesText(3.0 * static_cast<double>(model.gradient_bytes())),
      " (weights, gradients, momentum)\n");
  for (const uint32_t batch : plan.batch_sweep.batch_sizes) {
    const uint32_t steps = StepsPerEpoch(model.training_images(), batch, ToDropLast(training.drop_last()));
    absl::StrAppend(&text, "  batch ", batch, ": ", steps, " steps per epoch, ", uint64_t{steps} * epochs, " in total",
                    batch == plan.checkpoint_batch ? ", then the checkpoint" : "", "\n");
  }
  if (plan.batch_sweep.exceeding != 0) {
    absl::StrAppend(&text, "  batch ", plan.batch_sweep.exceeding, ": exceeds the training set; not run\n");
  }
  if (plan.spec.find_max()) {
    absl::StrAppend(&text, "  then probes for the largest batch that fits, one epoch each\n");
  }
  const std::string warning = UntimedWarning(training);
  return absl::StrCat(
      text,
      "  a point that runs out of memory ends a batch sweep; the memory of activations is unknown: it is counted\n",
      "    on the running network\n",
      "  seconds: unknown before a step is measured; --epochs=2 and one --batch_size measure one point\n",
      warning.empty() ? "" : "  warning: ", warning, warning.empty() ? "" : "\n");
}

}  // namespace lockstep
