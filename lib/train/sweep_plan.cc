#include "lib/train/sweep_plan.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/status_macros.h"
#include "lib/nn/device.h"
#include "lib/nn/model.h"
#include "lib/train/train_step.h"

namespace lockstep {
namespace {

constexpr uint32_t kDefaultRepeats = 5;
constexpr uint32_t kWarmupEpochs = 1;  // the lab reports the second epoch

// The folder of the checkpoint must be there before hours are spent on what goes into it.
absl::Status CheckCheckpointFolder(const std::string& path) {
  if (path == "-") {
    return absl::InvalidArgumentError("--checkpoint=-: weights go to a file, not to standard output; give it a name");
  }
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  struct stat info;
  if (!path.empty() && (stat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || access(folder.c_str(), W_OK) != 0)) {
    return absl::NotFoundError(absl::StrCat("--checkpoint=", path, ": ", folder, " is no folder to write to"));
  }
  return absl::OkStatus();
}

absl::StatusOr<uint32_t> ChooseCheckpointBatch(const TrainSweepOptions& options, const std::vector<uint32_t>& batches) {
  if (options.checkpoint.empty() || batches.empty()) {
    return 0;
  }
  const uint32_t batch = options.checkpoint_batch != 0 ? options.checkpoint_batch : batches.front();
  if (std::find(batches.begin(), batches.end(), batch) == batches.end()) {
    return absl::InvalidArgumentError(absl::StrCat("--checkpoint_batch=", batch, " is not one of the batches that are planned: ",
                                                   absl::StrJoin(batches, ", ")));
  }
  return batch;
}

}  // namespace

absl::Status CheckSweepOptions(const TrainSweepOptions& options) {
  if (options.input.empty()) {
    return absl::InvalidArgumentError("--input is missing: --input=dataset.rec, a record file of cifar_prep");
  }
  if (options.output.empty()) {
    return absl::InvalidArgumentError("--output is empty; name a file, or '-' for standard output");
  }
  if (options.preset != "lab") {
    return absl::InvalidArgumentError(absl::StrCat("--preset=", options.preset, ": expected lab, the only one there is"));
  }
  if (options.precision != "fp32") {
    return absl::InvalidArgumentError(absl::StrCat("--precision=", options.precision, ": expected fp32"));
  }
  if (options.epochs != 0 && options.repeats != 0 && options.epochs != kWarmupEpochs + options.repeats) {
    return absl::InvalidArgumentError(absl::StrCat("--epochs=", options.epochs, " is one warm-up and ",
                                                   options.epochs - kWarmupEpochs, " timed epochs, but --repeats=",
                                                   options.repeats, "; give one of the two"));
  }
  return CheckCheckpointFolder(options.checkpoint);
}

proto::TrainingSpec MakeTrainingSpec(const TrainSweepOptions& options, c10::Device device) {
  proto::TrainingSpec spec = options.training;
  spec.set_device(ToDeviceKind(device));
  spec.set_precision(proto::FP32);
  spec.set_channels_last(false);
  spec.set_warmup_epochs(kWarmupEpochs);
  const uint32_t timed = options.epochs != 0 ? options.epochs - kWarmupEpochs : kDefaultRepeats;
  spec.set_repeats(options.repeats != 0 ? options.repeats : timed);
  if (spec.learning_rate() == 0) {
    spec.set_learning_rate(DefaultLearningRate(spec.model()));
  }
  if (spec.threads() == 0) {
    spec.set_threads(ComputeThreads());
  }
  return spec;
}

absl::StatusOr<SweepPlan> PlanSweep(const TrainSweepOptions& options, const Dataset& dataset) {
  SweepPlan plan;
  ASSIGN_OR_RETURN(plan.device, ResolveDevice(options.device));
  if (options.memory_limit_bytes != 0 && plan.device.is_cuda()) {
    return absl::InvalidArgumentError("--memory_limit bounds a process on the CPU; on CUDA the GPU's memory is the bound");
  }
  if ((options.evaluate || !options.checkpoint.empty()) && dataset.test.size() == 0) {
    return absl::FailedPreconditionError(absl::StrCat(options.input, " has no test images; --noevaluate, and no --checkpoint"));
  }
  *plan.spec.mutable_training() = MakeTrainingSpec(options, plan.device);
  RETURN_IF_ERROR(CheckTrainingSpec(plan.spec.training()));
  ASSIGN_OR_RETURN(const std::shared_ptr<Model> model, MakeModel(options.training.model(), options.training.seed()));
  ASSIGN_OR_RETURN(plan.ladder, PlanLadder(options.ladder, dataset.train.size()));
  ASSIGN_OR_RETURN(plan.checkpoint_batch, ChooseCheckpointBatch(options, plan.ladder.batch_sizes));
  plan.spec.set_preset(options.preset);
  *plan.spec.mutable_model() = CountModel(*model);
  plan.spec.mutable_model()->set_training_images(dataset.train.size());
  plan.spec.mutable_model()->set_test_images(dataset.test.size());
  plan.spec.mutable_batch_size()->Add(plan.ladder.batch_sizes.begin(), plan.ladder.batch_sizes.end());
  plan.spec.set_memory_limit_bytes(options.memory_limit_bytes);
  return plan;
}

std::map<std::string, std::string> ResultFlags(const TrainSweepOptions& options, const SweepPlan& plan) {
  return {{"spec", plan.spec.ShortDebugString()},
          {"exceeding", absl::StrCat(plan.ladder.exceeding)},
          {"by_hand", absl::StrCat(plan.ladder.by_hand)},
          {"evaluate", absl::StrCat(options.evaluate)},
          {"checkpoint", options.checkpoint},
          {"checkpoint_batch", absl::StrCat(plan.checkpoint_batch)}};
}

std::string PlanText(const SweepPlan& plan) {
  const proto::TrainingSpec& training = plan.spec.training();
  const proto::ModelFacts& model = plan.spec.model();
  const uint32_t epochs = training.warmup_epochs() + training.repeats();
  // Forward, and backward with respect to inputs and weights: three times the forward's multiply-accumulates, two
  // operations each (backward with respect to the images themselves is not computed; the stem's share is below 1 %).
  const double epoch_tflop = 6 * model.forward_macs_per_image() * static_cast<double>(model.training_images()) / 1e12;
  std::string text = absl::StrCat(
      "plan: ", training.model(), " on ", proto::DeviceKind_Name(training.device()), ", ", epochs, " epochs of ",
      model.training_images(), " images at each batch size, about ", epoch_tflop, " TFLOP an epoch\n",
      "  memory beside activations: ", 3 * model.gradient_bytes(), " bytes (weights, gradients, momentum)\n");
  for (const uint32_t batch : plan.ladder.batch_sizes) {
    const uint64_t images = model.training_images();
    const uint64_t steps = training.drop_last() ? images / batch : (images + batch - 1) / batch;
    absl::StrAppend(&text, "  batch ", batch, ": ", steps, " steps an epoch, ", steps * epochs, " in all",
                    batch == plan.checkpoint_batch ? ", then the checkpoint" : "", "\n");
  }
  if (plan.ladder.exceeding != 0) {
    absl::StrAppend(&text, "  batch ", plan.ladder.exceeding, ": exceeds the training set; not run\n");
  }
  return absl::StrCat(text, "  a point that runs out of memory ends a ladder; seconds are not known before they are measured\n");
}

}  // namespace lockstep
