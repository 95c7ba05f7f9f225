#include "tools/training_flags.h"

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/flag_range.h"
#include "lib/base/flag_values.h"
#include "lib/base/flag_words.h"
#include "lib/base/status_macros.h"
#include "lib/dataset/normalization.h"
#include "lib/train/schedule.h"

namespace lockstep {

// Smallest learning rate, and smallest factor of a learning rate. The default of both flags is 0, which no run uses.
inline constexpr double kMinRate = 1e-9;

}  // namespace lockstep

ABSL_FLAG(std::string, input, "", "The data set: a record file of cifar_prep; '-': standard input.");
ABSL_FLAG(bool, force, false, "Make the output again even when it already holds this result.");
ABSL_FLAG(bool, dry_run, false, "Print the plan and exit.");
ABSL_FLAG(std::string, preset, "lab",
          "lab: fp32 without TF32, NCHW, LibTorch's autograd, two loader workers. fast (resnet18 on CUDA): bf16 by the "
          "hand-written step, in a CUDA graph, from a data set on the GPU.");
FLAG_WORDS(preset, "lab", "fast");
ABSL_FLAG(std::string, step, "", "autograd (LibTorch's) or fused (the hand-written one); empty: the preset's.");
FLAG_WORDS(step, "autograd", "fused");
ABSL_FLAG(std::string, precision, "", "fp32, tf32 or bf16; empty: the preset's.");
FLAG_WORDS(precision, "fp32", "tf32", "bf16");
ABSL_FLAG(std::string, memory_format, "", "nchw or channels_last, the only one of --step=fused; empty: the preset's.");
FLAG_WORDS(memory_format, "nchw", "channels_last");
ABSL_FLAG(std::optional<bool>, graph, std::nullopt, "Replay each step as a CUDA graph; left out: the preset's.");
ABSL_FLAG(std::optional<bool>, second_stream, std::nullopt,
          "Compute weight gradients in parallel with data gradients; left out: the preset's.");
ABSL_FLAG(std::optional<bool>, fused_sums, std::nullopt,
          "The neighbouring convolutions compute the sums of batch norm (--step=fused in bf16); left out: the "
          "preset's.");
ABSL_FLAG(std::optional<bool>, fused_norms, std::nullopt,
          "With --fused_sums these apply the batch norm as well, where that is faster, backward with "
          "--divide_multiprocessors; left out: the preset's.");
ABSL_FLAG(std::optional<bool>, divide_multiprocessors, std::nullopt,
          "With --second_stream and up to 512 images, data gradients, weight gradients and SGD run side by side on "
          "parts of the GPU (--step=fused in bf16); left out: the preset's.");
ABSL_FLAG(bool, own_kernels, true,
          "Use Lockstep's own convolutions and weight gradients on GPUs that they support; false: only cuDNN's "
          "(--step=fused). The other flags of this group choose among them.");
ABSL_FLAG(std::optional<bool>, own_weight_gradients, std::nullopt,
          "Weight gradients by Lockstep's kernel where it is faster than cuDNN's (--step=fused in bf16); left out: the "
          "preset's.");
ABSL_FLAG(std::optional<bool>, own_convolutions, std::nullopt,
          "3x3 convolutions and their data gradients by Lockstep's kernel where it is faster than cuDNN's "
          "(--step=fused in fp32); left out: the preset's.");
ABSL_FLAG(std::string, model, "resnet18", "resnet18, lenet5 or lenet5_bias.");
FLAG_WORDS(model, "resnet18", "lenet5", "lenet5_bias");
RANGED_FLAG(uint64_t, seed, 0, 0, std::numeric_limits<uint64_t>::max(),
            "Seed for the initial weights, the image order and the augmentation.");
RANGED_FLAG(double, learning_rate, 0, lockstep::kMinRate, 1000,
            "Learning rate of SGD; left out: the model's own, 0.1 for resnet18 and 0.01 for lenet5.");
RANGED_FLAG(double, momentum, 0.9, 0, 1, "Momentum of SGD.");
RANGED_FLAG(double, weight_decay, 5e-4, 0, 1000, "Weight decay of SGD.");
RANGED_FLAG(double, label_smoothing, 0, 0, 1,
            "Share of the loss's target that is spread over all classes, like torch.nn.CrossEntropyLoss; 0: none.");
RANGED_FLAG(double, clip_norm, 0, 0, 1e6,
            "Largest norm of an update's gradient over all parameters, to which it is scaled down like by "
            "clip_grad_norm_; 0: no clipping.");
RANGED_FLAG(double, lars, 0, 0, 1000,
            "Trust coefficient of LARS (You et al. 2017) for weights of more than one dimension, such as 0.001, after "
            "--clip_norm; biases and batch norm then have no weight decay. 0: plain SGD.");
ABSL_FLAG(bool, zero_gamma, false, "Batch norm's last scale of each residual block starts at 0 (Goyal et al. 2017).");
ABSL_FLAG(bool, fixed_order, false,
          "Every epoch has the image order of the first one, like a sampler without set_epoch.");
ABSL_FLAG(std::string, schedule, "constant",
          "Schedule of the learning rate, whose peak is --learning_rate: constant; multistep or cosine, which "
          "change it once an epoch; one_cycle, which changes it at each batch.");
FLAG_WORDS(schedule, "constant", "multistep", "cosine", "one_cycle");
RANGED_FLAG(std::vector<std::string>, lr_milestones, {}, 1, lockstep::kMaxEpochs,
            "With --schedule=multistep: epochs, counted from 0, at which the rate drops: 60,120,160.");
RANGED_FLAG(double, lr_gamma, 0, lockstep::kMinRate, 1000,
            "With --schedule=multistep: factor of the rate at each of --lr_milestones; left out: 0.1.");
RANGED_FLAG(uint32_t, lr_warmup_epochs, 0, 0, lockstep::kMaxEpochs,
            "Epochs in which the rate climbs to its peak, batch by batch.");
RANGED_FLAG(double, lr_warmup_start, 0, 0, 1000,
            "Learning rate of the first step of the warm-up, as in Goyal et al. 2017; 0: the peak divided by the "
            "number of its steps.");
ABSL_FLAG(bool, augment, true, "Augment by random crop with padding 4 and horizontal flip.");
ABSL_FLAG(std::string, normalization, lockstep::kDatasetNormalization,
          "Mean and standard deviation of the images: dataset (of the training images), cifar10, imagenet, none, or "
          "MEAN/STD, such as 0.5/0.5.");
FLAG_WORDS(normalization, "dataset", "cifar10", "imagenet", "none");
ABSL_FLAG(bool, deterministic, false, "Make the run bitwise repeatable on the same device; slower on CUDA.");
RANGED_FLAG(uint32_t, epochs, 0, 1, lockstep::kMaxEpochs,
            "Epochs of each point, the first of which is a warm-up; left out: 1 + repeats.");
RANGED_FLAG(uint32_t, repeats, 0, 1, lockstep::kMaxEpochs,
            "Timed epochs of each point; left out: all but the first of --epochs, or 5.");
ABSL_FLAG(bool, evaluate, true, "Measure the test accuracy after the last epoch of each point.");
RANGED_FLAG(uint32_t, evaluate_every, 0, 0, lockstep::kMaxEpochs,
            "Number of epochs from one further evaluation to the next; 0: no further one. Its time does not count as "
            "training.");
RANGED_FLAG(std::optional<uint32_t>, validation_images, std::nullopt, 0, 1'000'000,
            "Number of training images to hold out, the same ones in every run. The accuracy on them after the last "
            "epoch may be used to choose a recipe; the test set may not. 0: none.");
RANGED_FLAG(double, target_accuracy, 0, 0, 1,
            "Train until the test accuracy reaches this value, such as 0.94, or the epochs end. Evaluates after each "
            "epoch, or as often as --evaluate_every says. 0: none.");
RANGED_FLAG(uint32_t, accumulate, 1, 1, lockstep::kMaxBatchSize,
            "Micro-batches whose gradients make one update, for a batch that does not fit; batch norm then counts over "
            "a micro-batch.");
ABSL_FLAG(
    bool, resume, false,
    "Keep the state of a point's training beside the output, as OUTPUT.POINT.state, and go on from it when the same "
    "run was stopped: to the same bits, with --deterministic.");
RANGED_FLAG(uint32_t, state_every, 1, 1, lockstep::kMaxEpochs, "With --resume: epochs from one state to the next.");
RANGED_FLAG(uint32_t, checkpoint_batch, 0, 0, lockstep::kMaxBatchSize,
            "Batch size with which the checkpoint is trained; 0: the first.");
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
       "accuracy on images that are not used for training",
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
