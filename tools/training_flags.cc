#include "tools/training_flags.h"

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/flag_range.h"
#include "lib/base/flag_values.h"
#include "lib/base/status_macros.h"
#include "lib/dataset/normalization.h"
#include "lib/train/schedule.h"

namespace lockstep {

// Smallest learning rate and factor of one. Both flags are 0 while they are left out, and no run trains with 0.
inline constexpr double kMinRate = 1e-9;

}  // namespace lockstep

ABSL_FLAG(std::string, input, "", "The data set: a record file of cifar_prep; '-': standard input.");
ABSL_FLAG(bool, force, false, "Make the output again even when it already holds this result.");
ABSL_FLAG(bool, dry_run, false, "Print the plan and exit.");
ABSL_FLAG(std::string, preset, "lab",
          "lab: fp32 without TF32, NCHW, LibTorch's autograd, two loader workers. fast (resnet18 on CUDA): bf16 by the "
          "hand-written step, in a CUDA graph, from a data set on the GPU.");
ABSL_FLAG(std::string, step, "", "autograd (LibTorch's) or fused (the hand-written one); empty: the preset's.");
ABSL_FLAG(std::string, precision, "", "fp32, tf32 or bf16; empty: the preset's.");
ABSL_FLAG(std::string, memory_format, "", "nchw or channels_last, the only one of --step=fused; empty: the preset's.");
ABSL_FLAG(std::optional<bool>, graph, std::nullopt, "Each step is the replay of a CUDA graph; left out: the preset's.");
ABSL_FLAG(std::optional<bool>, second_stream, std::nullopt,
          "Weight gradients beside data gradients; left out: the preset's.");
ABSL_FLAG(std::optional<bool>, fused_sums, std::nullopt,
          "Batch norm's sums are taken by the convolutions beside it (--step=fused in bf16); left out: the preset's.");
ABSL_FLAG(std::optional<bool>, fused_norms, std::nullopt,
          "With --fused_sums these apply the batch norm as well, where that is faster, backward with "
          "--divide_multiprocessors; left out: the preset's.");
ABSL_FLAG(std::optional<bool>, divide_multiprocessors, std::nullopt,
          "With --second_stream and up to 512 images, data gradients, weight gradients and SGD run side by side on "
          "parts of the GPU (--step=fused in bf16); left out: the preset's.");
ABSL_FLAG(bool, own_kernels, true,
          "Lockstep's own convolutions and weight gradients, on GPUs that there are such for; false: cuDNN's alone "
          "(--step=fused). The flags beside this one choose among them.");
ABSL_FLAG(std::optional<bool>, own_weight_gradients, std::nullopt,
          "Weight gradients by Lockstep's kernel where it is faster than cuDNN's (--step=fused in bf16); left out: the "
          "preset's.");
ABSL_FLAG(std::optional<bool>, own_convolutions, std::nullopt,
          "3x3 convolutions and their data gradients by Lockstep's kernel where it is faster than cuDNN's "
          "(--step=fused in fp32); left out: the preset's.");
ABSL_FLAG(std::string, model, "resnet18", "resnet18, lenet5 or lenet5_bias.");
RANGED_FLAG(uint64_t, seed, 0, 0, std::numeric_limits<uint64_t>::max(),
            "Of the initial weights, the order of the images, and their augmentation.");
RANGED_FLAG(double, learning_rate, 0, lockstep::kMinRate, 1000,
            "Of SGD; left out: the model's own, 0.1 for resnet18 and 0.01 for lenet5.");
RANGED_FLAG(double, momentum, 0.9, 0, 1, "Of SGD.");
RANGED_FLAG(double, weight_decay, 5e-4, 0, 1000, "Of SGD.");
RANGED_FLAG(
    double, label_smoothing, 0, 0, 1,
    "The share of the loss's target that is spread over all classes, as torch.nn.CrossEntropyLoss has it; 0: none.");
RANGED_FLAG(
    double, clip_norm, 0, 0, 1e6,
    "The gradient of an update is scaled down to this norm over all parameters, as clip_grad_norm_ does; 0: not.");
RANGED_FLAG(double, lars, 0, 0, 1000,
            "Trust coefficient of LARS (You et al. 2017) for weights of more than one dimension, such as 0.001, after "
            "--clip_norm; biases and batch norm then have no weight decay. 0: plain SGD.");
ABSL_FLAG(bool, zero_gamma, false, "Batch norm's last scale of each residual block starts at 0 (Goyal et al. 2017).");
ABSL_FLAG(bool, fixed_order, false,
          "Every epoch has the first one's order, as of a sampler that is not told the epoch.");
ABSL_FLAG(std::string, schedule, "constant",
          "Of the learning rate, whose peak is --learning_rate: constant, multistep or cosine (a step an epoch), "
          "one_cycle (a step a batch).");
RANGED_FLAG(std::vector<std::string>, lr_milestones, {}, 1, lockstep::kMaxEpochs,
            "Of multistep: the epochs, from 0, with which the rate drops: 60,120,160.");
RANGED_FLAG(double, lr_gamma, 0, lockstep::kMinRate, 1000,
            "Of multistep: what the rate is multiplied with at each of them; left out: 0.1.");
RANGED_FLAG(uint32_t, lr_warmup_epochs, 0, 0, lockstep::kMaxEpochs,
            "Epochs in which the rate climbs to its peak, batch by batch.");
RANGED_FLAG(double, lr_warmup_start, 0, 0, 1000,
            "Learning rate of the first step of that climb, as in Goyal et al. 2017; 0: one share of the peak.");
ABSL_FLAG(bool, augment, true, "Random crop with padding 4 and horizontal flip.");
ABSL_FLAG(std::string, normalization, lockstep::kDatasetNormalization,
          "Mean and standard deviation of the images: dataset (of the training images), cifar10, imagenet, none, or "
          "MEAN/STD, such as 0.5/0.5.");
ABSL_FLAG(bool, deterministic, false, "Bitwise repeatable on the same device; slower on CUDA.");
RANGED_FLAG(uint32_t, epochs, 0, 1, lockstep::kMaxEpochs,
            "Epochs of each point, the first of which is a warm-up; left out: 1 + repeats.");
RANGED_FLAG(uint32_t, repeats, 0, 1, lockstep::kMaxEpochs,
            "Timed epochs of each point; left out: all but the first of --epochs, or 5.");
ABSL_FLAG(bool, evaluate, true, "Test accuracy after the last epoch of each point.");
RANGED_FLAG(uint32_t, evaluate_every, 0, 0, lockstep::kMaxEpochs,
            "Also after each so many epochs; 0: not. Its time counts as no training.");
RANGED_FLAG(
    std::optional<uint32_t>, validation_images, std::nullopt, 0, 1'000'000,
    "Training images that no point is trained on, the same ones every time: their accuracy after the last epoch "
    "may choose between recipes, where the test set may not. 0: none.");
RANGED_FLAG(double, target_accuracy, 0, 0, 1,
            "Train until the test accuracy is this, such as 0.94, or the epochs end; looks after each epoch, or as "
            "--evaluate_every says. 0: none.");
RANGED_FLAG(uint32_t, accumulate, 1, 1, lockstep::kMaxBatchSize,
            "Micro-batches whose gradients make one update, for a batch that does not fit; batch norm then counts over "
            "a micro-batch.");
ABSL_FLAG(
    bool, resume, false,
    "Keep the state of a point's training beside the output, as OUTPUT.POINT.state, and go on from it when the same "
    "run was stopped: to the same bits, with --deterministic.");
RANGED_FLAG(uint32_t, state_every, 1, 1, lockstep::kMaxEpochs, "With --resume: epochs from one state to the next.");
RANGED_FLAG(uint32_t, checkpoint_batch, 0, 0, lockstep::kMaxBatchSize,
            "The batch size that the checkpoint is trained with; 0: the first.");
ABSL_DECLARE_FLAG(uint32_t, workers);

namespace lockstep {

std::vector<FlagGroup> WithTrainingGroups(std::vector<FlagGroup> first) {
  const std::vector<FlagGroup> training = {
      {"training",
       "what is trained, and how long",
       {{"model"},
        {"preset"},
        {"epochs", "6: a warm-up and --repeats"},
        {"repeats", "5, or all but the first of --epochs"},
        {"seed"},
        {"learning_rate", "0.1 for resnet18, 0.01 for lenet5"},
        {"schedule"},
        {"evaluate"}},
       true},
      {"recipe",
       "how weights are changed",
       {{"momentum"},
        {"weight_decay"},
        {"augment"},
        {"normalization"},
        {"lr_milestones"},
        {"lr_gamma", "0.1"},
        {"lr_warmup_epochs", "0: none"},
        {"lr_warmup_start", "0: one share of the peak"},
        {"label_smoothing", "0: none"},
        {"clip_norm", "0: not clipped"},
        {"lars", "0: plain SGD"},
        {"zero_gamma"},
        {"fixed_order"},
        {"accumulate"}}},
      {"target",
       "accuracy on images that are not trained on",
       {{"target_accuracy", "0: none"},
        {"evaluate_every", "0: at the end"},
        {"validation_images", "none; a tenth with --experiment=large_batch"}}},
      {"resume",
       "training that goes on after a stop",
       {{"resume"}, {"state_every"}, {"checkpoint_batch", "0: the first"}}},
      {"step",
       "expert: how a step is computed; a preset chooses what is left out",
       {{"deterministic"},
        {"step", "autograd; fast: fused"},
        {"precision", "fp32; fast: bf16"},
        {"memory_format", "nchw; fast: channels_last"},
        {"graph", "false; fast: true"}}},
      {"gpu",
       "expert: pieces of --step=fused on a GPU; a preset chooses what is left out",
       {{"second_stream", "the preset's"},
        {"fused_sums", "the preset's"},
        {"fused_norms", "the preset's"},
        {"divide_multiprocessors", "the preset's"},
        {"own_weight_gradients", "the preset's"},
        {"own_convolutions", "the preset's"},
        {"own_kernels"}}}};
  first.insert(first.end(), training.begin(), training.end());
  return first;
}

absl::Status ReadTrainingFlags(proto::TrainingSpec& training) {
  RETURN_IF_ERROR(SetFieldsFromFlags(training, {"device", "normalization"}));
  ASSIGN_OR_RETURN(*training.mutable_normalization(), ParseNormalization(absl::GetFlag(FLAGS_normalization)));
  training.set_loader_workers(absl::GetFlag(FLAGS_workers));
  training.set_no_own_kernels(!absl::GetFlag(FLAGS_own_kernels));
  if (const std::optional<bool> graph = absl::GetFlag(FLAGS_graph)) {
    training.set_cuda_graph(*graph);
  }
  if (const std::string format = absl::GetFlag(FLAGS_memory_format); !format.empty()) {
    RETURN_IF_ERROR(CheckFlagWord("memory_format", format, {"nchw", "channels_last"}));
    training.set_channels_last(format == "channels_last");
  }
  ASSIGN_OR_RETURN(const auto milestones, ParseNumberList("lr_milestones", absl::GetFlag(FLAGS_lr_milestones)));
  training.mutable_lr_milestone()->Assign(milestones.begin(), milestones.end());
  return SetEpochs(absl::GetFlag(FLAGS_epochs), absl::GetFlag(FLAGS_repeats), training);
}

}  // namespace lockstep
