#include "lib/train/sweep_plan.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/status_macros.h"
#include "lib/device/compute_threads.h"
#include "lib/device/device.h"
#include "lib/nn/model.h"
#include "lib/record/output_place.h"
#include "lib/train/schedule.h"
#include "lib/train/train_step.h"

namespace lockstep {
namespace {

constexpr uint32_t kDefaultRepeats = 5;
constexpr uint32_t kWarmupEpochs = 1;  // the lab reports the second epoch
constexpr double kDefaultGamma = 0.1;  // of torch.optim.lr_scheduler.MultiStepLR

// The places of the states that --resume keeps: a FIFO there would wait for a writer.
absl::Status CheckStatePlaces(const TrainSweepOptions& options, const std::vector<uint32_t>& batches) {
  for (const uint32_t batch : options.resume ? batches : std::vector<uint32_t>()) {
    RETURN_IF_ERROR(CheckOutputPlace(StatePath(options, batch)));
  }
  return absl::OkStatus();
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

// `words`: the empty one, if it is among them, is first and stands for the preset's.
absl::Status CheckWord(const char* flag, const std::string& found, const std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end(), found) != words.end()) {
    return absl::OkStatus();
  }
  const auto first = words.begin() + (words.front().empty() ? 1 : 0);
  return absl::InvalidArgumentError(absl::StrCat("--", flag, "=", found, ": expected ",
                                                 absl::StrJoin(first, words.end() - 1, ", "), " or ", words.back()));
}

proto::Precision ParsePrecision(const std::string& word) {
  return word == "bf16" ? proto::BF16 : word == "tf32" ? proto::TF32 : proto::FP32;
}

// A constant rate stays unset, as in records from before there was a schedule.
void SetSchedule(const TrainSweepOptions& options, proto::TrainingSpec& spec) {
  const std::string& word = options.schedule;
  if (word != "constant") {
    spec.set_schedule(word == "multistep" ? proto::MULTISTEP : word == "cosine" ? proto::COSINE : proto::ONE_CYCLE);
  }
  spec.mutable_lr_milestone()->Add(options.lr_milestones.begin(), options.lr_milestones.end());
  const bool by_default = options.lr_gamma == 0 && spec.schedule() == proto::MULTISTEP;
  spec.set_lr_gamma(by_default ? kDefaultGamma : options.lr_gamma);
  spec.set_lr_warmup_epochs(options.lr_warmup_epochs);
}

// What the preset says, and the flags instead of it.
void SetStep(const TrainSweepOptions& options, proto::TrainingSpec& spec) {
  const bool fast = options.preset == "fast";
  const auto choose = [](const std::string& flag, const char* preset) {
    return flag.empty() ? std::string(preset) : flag;
  };
  const bool fused = choose(options.step, fast ? "fused" : "autograd") == "fused";
  spec.set_step(fused ? proto::FUSED : proto::AUTOGRAD);
  spec.set_precision(ParsePrecision(choose(options.precision, fast ? "bf16" : "fp32")));
  spec.set_cuda_graph(choose(options.graph, fast ? "true" : "false") == "true");
  spec.set_second_stream(choose(options.second_stream, fused ? "true" : "false") == "true");
  const char* const of_bf16 = fused && spec.precision() == proto::BF16 ? "true" : "false";
  spec.set_fused_sums(choose(options.fused_sums, of_bf16) == "true");
  spec.set_fused_norms(choose(options.fused_norms, spec.fused_sums() ? of_bf16 : "false") == "true");
  spec.set_own_weight_gradients(choose(options.own_weight_gradients, of_bf16) == "true");
  spec.set_divide_multiprocessors(
      choose(options.divide_multiprocessors, spec.second_stream() ? of_bf16 : "false") == "true");
  const char* const of_fp32 = fused && spec.precision() == proto::FP32 ? "true" : "false";
  spec.set_own_convolutions(choose(options.own_convolutions, of_fp32) == "true");
  spec.set_channels_last(choose(options.memory_format, fused ? "channels_last" : "nchw") == "channels_last");
  spec.set_resident_images(fused);
  if (fused) {
    spec.set_loader_workers(0);
  }
}

// How it is trained, in words.
std::string RecipeText(const proto::TrainingSpec& training) {
  std::string text = absl::StrCat("learning rate ", training.learning_rate());
  if (training.schedule() != proto::SCHEDULE_UNSPECIFIED) {
    absl::StrAppend(&text, ", ", absl::AsciiStrToLower(proto::Schedule_Name(training.schedule())));
  }
  if (training.schedule() == proto::MULTISTEP) {
    absl::StrAppend(&text, " times ", training.lr_gamma(), " with epochs ",
                    absl::StrJoin(training.lr_milestone(), ", "));
  }
  if (training.lr_warmup_epochs() != 0) {
    absl::StrAppend(&text, ", after a climb of ", training.lr_warmup_epochs(), " epochs");
  }
  return absl::StrCat(text, "; momentum ", training.momentum(), ", weight decay ", training.weight_decay(),
                      training.augment() ? ", random crop and flip" : ", no augmentation", ", seed ", training.seed());
}

// Who computes a step, and with which of its pieces.
std::string StepText(const proto::TrainingSpec& training) {
  return absl::StrCat("step: ", absl::AsciiStrToLower(proto::StepKind_Name(training.step())), " in ",
                      absl::AsciiStrToLower(proto::Precision_Name(training.precision())),
                      training.channels_last() ? ", channels-last" : ", NCHW",
                      training.cuda_graph() ? ", CUDA graph" : "", training.second_stream() ? ", second stream" : "",
                      training.fused_sums() ? ", fused sums" : "", training.fused_norms() ? ", fused norms" : "",
                      training.own_weight_gradients() ? ", own weight gradients" : "",
                      training.divide_multiprocessors() ? ", divided multiprocessors" : "",
                      training.own_convolutions() ? ", own convolutions" : "");
}

absl::Status CheckAccumulate(const TrainSweepOptions& options, const std::vector<uint32_t>& batches) {
  const uint32_t parts = options.training.accumulate();
  if (parts > 1 && options.find_max) {
    return absl::InvalidArgumentError(
        "--find_max looks for the largest batch that fits undivided; leave --accumulate out");
  }
  for (const uint32_t batch : batches) {
    if (parts > 1 && batch % parts != 0) {
      return absl::InvalidArgumentError(absl::StrCat("--accumulate=", parts, ": batch ", batch,
                                                     " cannot be divided into so many equal micro-batches"));
    }
  }
  return absl::OkStatus();
}

// Of the pieces of the fused step: what is asked for and would not be done is refused.
absl::Status CheckPieces(const proto::TrainingSpec& spec) {
  const std::tuple<const char*, bool, proto::Precision> pieces[] = {
      {"fused_sums", spec.fused_sums(), proto::BF16},
      {"fused_norms", spec.fused_norms(), proto::BF16},
      {"own_weight_gradients", spec.own_weight_gradients(), proto::BF16},
      {"divide_multiprocessors", spec.divide_multiprocessors(), proto::BF16},
      {"own_convolutions", spec.own_convolutions(), proto::FP32}};
  for (const auto& [flag, asked, precision] : pieces) {
    if (asked && (spec.step() != proto::FUSED || spec.precision() != precision)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--", flag, "=true is a piece of --step=fused in ", absl::AsciiStrToLower(proto::Precision_Name(precision)),
          "; this is ", proto::StepKind_Name(spec.step()), " in ", proto::Precision_Name(spec.precision())));
    }
  }
  if (spec.fused_norms() && !spec.fused_sums()) {
    return absl::InvalidArgumentError(
        "--fused_norms=true goes on from the sums of --fused_sums; this is --fused_sums=false");
  }
  if (spec.divide_multiprocessors() && !spec.second_stream()) {
    return absl::InvalidArgumentError(
        "--divide_multiprocessors=true divides them between streams; this is --second_stream=false");
  }
  return absl::OkStatus();
}

absl::Status CheckEvaluation(const TrainSweepOptions& options) {
  const double target = options.target_accuracy;
  if (!(target >= 0 && target <= 1)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--target_accuracy=", target, ": expected a fraction of the test set, such as 0.94, or 0 for none"));
  }
  if (!options.evaluate && (options.evaluate_every != 0 || target != 0)) {
    return absl::InvalidArgumentError(
        "--noevaluate: --evaluate_every and --target_accuracy need the test accuracy; leave one out");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckSweepOptions(const TrainSweepOptions& options) {
  if (options.input.empty()) {
    return absl::InvalidArgumentError("--input is missing: --input=dataset.rec, a record file of cifar_prep");
  }
  if (options.output.empty()) {
    return absl::InvalidArgumentError("--output is empty; name a file, or '-' for standard output");
  }
  RETURN_IF_ERROR(CheckWord("preset", options.preset, {"lab", "fast"}));
  RETURN_IF_ERROR(CheckWord("step", options.step, {"", "autograd", "fused"}));
  RETURN_IF_ERROR(CheckWord("precision", options.precision, {"", "fp32", "tf32", "bf16"}));
  RETURN_IF_ERROR(CheckWord("memory_format", options.memory_format, {"", "nchw", "channels_last"}));
  RETURN_IF_ERROR(CheckWord("graph", options.graph, {"", "true", "false"}));
  RETURN_IF_ERROR(CheckWord("schedule", options.schedule, {"constant", "multistep", "cosine", "one_cycle"}));
  RETURN_IF_ERROR(CheckWord("second_stream", options.second_stream, {"", "true", "false"}));
  RETURN_IF_ERROR(CheckWord("fused_sums", options.fused_sums, {"", "true", "false"}));
  RETURN_IF_ERROR(CheckWord("fused_norms", options.fused_norms, {"", "true", "false"}));
  RETURN_IF_ERROR(CheckWord("divide_multiprocessors", options.divide_multiprocessors, {"", "true", "false"}));
  RETURN_IF_ERROR(CheckWord("own_weight_gradients", options.own_weight_gradients, {"", "true", "false"}));
  RETURN_IF_ERROR(CheckWord("own_convolutions", options.own_convolutions, {"", "true", "false"}));
  if (options.epochs != 0 && options.repeats != 0 && options.epochs - kWarmupEpochs != options.repeats) {
    return absl::InvalidArgumentError(
        absl::StrCat("--epochs=", options.epochs, " is one warm-up and ", options.epochs - kWarmupEpochs,
                     " timed epochs, but --repeats=", options.repeats, "; give one of the two"));
  }
  RETURN_IF_ERROR(CheckEvaluation(options));
  if (options.resume && options.output == "-") {
    return absl::InvalidArgumentError("--resume keeps its state beside the output; give --output the name of a file");
  }
  if (options.state_every == 0) {
    return absl::InvalidArgumentError(
        "--state_every=0: expected epochs from one training state to the next, at least 1");
  }
  if (options.checkpoint == "-") {
    return absl::InvalidArgumentError("--checkpoint=-: weights go to a file, not to standard output; give it a name");
  }
  return absl::OkStatus();
}

proto::TrainingSpec MakeTrainingSpec(const TrainSweepOptions& options, c10::Device device) {
  proto::TrainingSpec spec = options.training;
  spec.set_device(ToDeviceKind(device));
  SetStep(options, spec);
  SetSchedule(options, spec);
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

std::string StatePath(const TrainSweepOptions& options, uint32_t batch_size) {
  return absl::StrCat(options.output, ".batch", batch_size, ".state");
}

absl::Duration TimeoutOf(const TrainSweepOptions& options, c10::Device device) {
  return options.timeout > absl::ZeroDuration() ? options.timeout
         : device.is_cuda()                     ? absl::Minutes(2)
                                                : absl::InfiniteDuration();
}

uint32_t EvaluateEvery(const TrainSweepOptions& options) {
  return options.evaluate_every == 0 && options.target_accuracy != 0 ? 1 : options.evaluate_every;
}

absl::StatusOr<SweepPlan> PlanSweep(const TrainSweepOptions& options, const Dataset& dataset) {
  SweepPlan plan;
  ASSIGN_OR_RETURN(plan.device, ResolveDevice(options.device));
  if (options.memory_limit_bytes != 0 && plan.device.is_cuda()) {
    return absl::InvalidArgumentError(
        "--memory_limit bounds a process on the CPU; on CUDA the GPU's memory is the bound");
  }
  if ((options.evaluate || !options.checkpoint.empty()) && dataset.test.size() == 0) {
    return absl::FailedPreconditionError(
        absl::StrCat(options.input, " has no test images; --noevaluate, and no --checkpoint"));
  }
  *plan.spec.mutable_training() = MakeTrainingSpec(options, plan.device);
  RETURN_IF_ERROR(CheckTrainingSpec(plan.spec.training()));
  RETURN_IF_ERROR(CheckPieces(plan.spec.training()));
  ASSIGN_OR_RETURN(const std::shared_ptr<Model> model, MakeModel(options.training.model(), options.training.seed()));
  ASSIGN_OR_RETURN(plan.ladder, PlanLadder(options.ladder, dataset.train.size()));
  ASSIGN_OR_RETURN(plan.checkpoint_batch, ChooseCheckpointBatch(options, plan.ladder.batch_sizes));
  plan.spec.set_preset(options.preset);
  *plan.spec.mutable_model() = CountModel(*model);
  plan.spec.mutable_model()->set_training_images(dataset.train.size());
  plan.spec.mutable_model()->set_test_images(dataset.test.size());
  plan.spec.mutable_batch_size()->Add(plan.ladder.batch_sizes.begin(), plan.ladder.batch_sizes.end());
  plan.spec.set_memory_limit_bytes(options.memory_limit_bytes);
  plan.spec.set_find_max(options.find_max);
  RETURN_IF_ERROR(CheckAccumulate(options, plan.ladder.batch_sizes));
  RETURN_IF_ERROR(CheckStatePlaces(options, plan.ladder.batch_sizes));
  plan.spec.set_evaluate_every(EvaluateEvery(options));
  plan.spec.set_target_accuracy(options.target_accuracy);
  return plan;
}

TrainSweepOptions ProbeOptions(TrainSweepOptions options) {
  options.epochs = kWarmupEpochs;
  options.repeats = 0;
  options.schedule = "constant";
  options.lr_milestones.clear();
  options.lr_gamma = 0;
  options.lr_warmup_epochs = 0;
  options.evaluate = false;
  options.evaluate_every = 0;
  options.target_accuracy = 0;
  options.resume = false;
  options.checkpoint.clear();
  return options;
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
  const uint32_t epochs = TotalEpochs(training);
  // Forward, and backward with respect to inputs and weights: three times the forward's multiply-accumulates, two
  // operations each (backward with respect to the images themselves is not computed; the stem's share is below 1 %).
  const double epoch_tflop = 6 * model.forward_macs_per_image() * static_cast<double>(model.training_images()) / 1e12;
  std::string text = absl::StrCat("plan: ", training.model(), " on ", proto::DeviceKind_Name(training.device()), ", ",
                                  epochs, " epochs of ", model.training_images(), " images at each batch size, about ",
                                  epoch_tflop, " TFLOP an epoch\n", "  ", RecipeText(training), "\n", "  ",
                                  StepText(training), "\n", "  memory beside activations: ", 3 * model.gradient_bytes(),
                                  " bytes (weights, gradients, momentum)\n");
  for (const uint32_t batch : plan.ladder.batch_sizes) {
    const uint32_t steps = StepsPerEpoch(model.training_images(), batch, training.drop_last());
    absl::StrAppend(&text, "  batch ", batch, ": ", steps, " steps an epoch, ", uint64_t{steps} * epochs, " in all",
                    batch == plan.checkpoint_batch ? ", then the checkpoint" : "", "\n");
  }
  if (plan.ladder.exceeding != 0) {
    absl::StrAppend(&text, "  batch ", plan.ladder.exceeding, ": exceeds the training set; not run\n");
  }
  if (plan.spec.find_max()) {
    absl::StrAppend(&text, "  then probes for the largest batch that fits, an epoch each\n");
  }
  return absl::StrCat(
      text, "  a point that runs out of memory ends a ladder; seconds are not known before they are measured\n");
}

}  // namespace lockstep
