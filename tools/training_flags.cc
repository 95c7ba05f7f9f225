#include "tools/training_flags.h"

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/flag_range.h"
#include "lib/base/flag_values.h"
#include "lib/base/flag_words.h"
#include "lib/base/status_macros.h"
#include "lib/dataset/normalization.h"
#include "lib/networks/networks.h"
#include "lib/train/recipes.h"
#include "lib/train/schedule.h"

namespace lockstep {

// Smallest learning rate, and smallest factor of a learning rate. The default of both flags is 0, which no run uses.
inline constexpr double kMinRate = 1e-9;

}  // namespace lockstep

ABSL_FLAG(std::string, input, "", "Data set, a record file of cifar_prep; '-': standard input.");
ABSL_FLAG(bool, force, false, "Write the output again even if it already holds this result.");
ABSL_FLAG(bool, dry_run, false, "Print the plan and exit.");
ABSL_FLAG(
    std::string, preset, "lab",
    "lab: fp32 without TF32, NCHW, LibTorch's autograd, two loader workers. fast (CUDA): bf16, channels-last, as a "
    "CUDA graph, with the data set in GPU memory; resnet18 and resnet34 by the fused step.");
FLAG_WORDS(preset, "lab", "fast");
ABSL_FLAG(std::string, recipe, "", lockstep::RecipeHelp());
static const bool recipe_has_words = lockstep::AddFlagWords("recipe", lockstep::RecipeWords());
ABSL_FLAG(std::string, step, "", "autograd (LibTorch's) or fused (Lockstep's kernels); empty: as in --preset.");
FLAG_WORDS(step, "autograd", "fused");
ABSL_FLAG(std::string, precision, "", "fp32, tf32 or bf16; empty: as in --preset.");
FLAG_WORDS(precision, "fp32", "tf32", "bf16");
ABSL_FLAG(std::optional<bool>, channels_last, std::nullopt,
          "Memory layout NHWC, which --step=fused requires; false: NCHW; left out: as in --preset.");
ABSL_FLAG(std::optional<bool>, cuda_graph, std::nullopt, "Replay each step as a CUDA graph; left out: as in --preset.");
ABSL_FLAG(std::optional<bool>, resident_images, std::nullopt,
          "Keep the data set in GPU memory and make the batches there; left out: as in --cuda_graph, and always with "
          "--step=fused.");
ABSL_FLAG(std::optional<bool>, second_stream, std::nullopt,
          "Compute weight gradients in parallel with data gradients; left out: as in --preset.");
ABSL_FLAG(
    std::optional<bool>, fused_sums, std::nullopt,
    "Compute batch norm's sums in the neighbouring convolutions (--step=fused in bf16); left out: as in --preset.");
ABSL_FLAG(std::optional<bool>, fused_batch_norm, std::nullopt,
          "With --fused_sums these convolutions also apply the batch norm if faster, backward only with "
          "--divide_multiprocessors; left out: as in --preset.");
ABSL_FLAG(std::optional<bool>, divide_multiprocessors, std::nullopt,
          "Partition the GPU between data gradients, weight gradients and SGD, with --second_stream and up to 512 "
          "images (--step=fused in bf16); left out: as in --preset.");
ABSL_FLAG(
    bool, cudnn_convolutions, false,
    "Use only cuDNN's convolutions and weight gradients (--step=fused); false: also Lockstep's, on GPUs that they "
    "support, as the other flags of this group choose.");
ABSL_FLAG(std::optional<bool>, own_weight_gradients, std::nullopt,
          "Use Lockstep's kernel for weight gradients where faster than cuDNN's (--step=fused in bf16); left out: as "
          "in --preset.");
ABSL_FLAG(std::optional<bool>, own_convolutions, std::nullopt,
          "Use Lockstep's kernel for 3x3 convolutions and their data gradients where faster than cuDNN's (--step=fused "
          "in fp32); left out: as in --preset.");
ABSL_FLAG(std::string, model, "resnet18",
          absl::StrCat(absl::StrJoin(lockstep::ModelWords(), ", "), "; mlp:WIDTHxDEPTH has DEPTH hidden layers."));
static const bool model_has_words = lockstep::AddFlagWords("model", lockstep::ModelWords());
RANGED_FLAG(uint64_t, seed, 0, 0, std::numeric_limits<uint64_t>::max(),
            "Seed for the initial weights, the image order and the augmentation.");
ABSL_FLAG(std::string, optimizer, "sgd",
          "sgd, nesterov, adam, adamw, adagrad, adadelta or rmsprop, with the formulas and constants of torch.optim.");
FLAG_WORDS(optimizer, "sgd", "nesterov", "adam", "adamw", "adagrad", "adadelta", "rmsprop");
RANGED_FLAG(double, learning_rate, 0, lockstep::kMinRate, 1000,
            "Learning rate; left out: for sgd and nesterov that of the model (docs/train_sweep.md), else that of "
            "torch.optim.");
RANGED_FLAG(double, momentum, 0.9, 0, 1, "Momentum, with --optimizer=sgd or nesterov.");
RANGED_FLAG(double, weight_decay, 5e-4, 0, 1000, "Weight decay.");
RANGED_FLAG(double, label_smoothing, 0, 0, 1,
            "Share of the loss's target that is spread over all classes, like torch.nn.CrossEntropyLoss; 0: none.");
RANGED_FLAG(
    double, clip_norm, 0, 0, 1e6,
    "Maximum norm of an update's gradient over all parameters, as in PyTorch's clip_grad_norm_; 0: no clipping.");
RANGED_FLAG(double, lars, 0, 0, 1000,
            "Trust coefficient of LARS (You et al. 2017), such as 0.001, for weights of more than one dimension, after "
            "--clip_norm. Biases and batch norm then have no weight decay. 0: plain SGD.");
ABSL_FLAG(bool, zero_gamma, false,
          "Start the last batch norm's scale in each residual block at 0 (Goyal et al. 2017).");
ABSL_FLAG(bool, no_set_epoch, false,
          "Use the first epoch's image order in every epoch, like a sampler without set_epoch.");
ABSL_FLAG(std::string, schedule, "constant",
          "Schedule of the learning rate, with the peak --learning_rate: constant; multistep or cosine, changed once "
          "per epoch; one_cycle or linear (to 0), changed at each batch.");
FLAG_WORDS(schedule, "constant", "multistep", "cosine", "one_cycle", "linear");
RANGED_FLAG(std::vector<std::string>, lr_milestones, {}, 1, lockstep::kMaxEpochs,
            "With --schedule=multistep: epochs, counted from 0, at which the rate drops, such as 60,120,160.");
RANGED_FLAG(double, lr_gamma, 0, lockstep::kMinRate, 1000,
            "With --schedule=multistep: factor of the rate at each of --lr_milestones; left out: 0.1.");
RANGED_FLAG(uint32_t, lr_warmup_epochs, 0, 0, lockstep::kMaxEpochs,
            "Warm-up epochs: the rate rises to its peak, batch by batch.");
RANGED_FLAG(double, lr_warmup_share, 0, 0, 1,
            "With --schedule=linear, instead of --lr_warmup_epochs: share of the run's steps in which the rate rises, "
            "such as 0.2; 0: none.");
RANGED_FLAG(double, lr_warmup_start, 0, 0, 1000,
            "Learning rate of the first warm-up step, as in Goyal et al. 2017; 0: the peak divided by the number of "
            "warm-up steps.");
ABSL_FLAG(bool, augment, true, "Augment by random crop with padding 4 and horizontal flip.");
ABSL_FLAG(std::string, border, "zero",
          "Border of the random crop: zero, black pixels; reflect, the image mirrored at its border.");
FLAG_WORDS(border, "zero", "reflect");
ABSL_FLAG(std::string, flip, "random",
          "Images that are flipped: random, half of them, drawn in each epoch; alternating, each image in every other "
          "epoch, with a random start.");
FLAG_WORDS(flip, "random", "alternating");
RANGED_FLAG(uint32_t, cutout, 0, 0, 1000,
            "Side in pixels of a square at a random place of each training image that is set to the mean colour, such "
            "as 12; 0: none.");
ABSL_FLAG(std::string, normalization, lockstep::kDatasetNormalization,
          "Mean and standard deviation of the images: dataset (of the training images), cifar10, imagenet, none, or "
          "MEAN/STD, such as 0.5/0.5.");
FLAG_WORDS(normalization, "dataset", "cifar10", "imagenet", "none");
ABSL_FLAG(bool, deterministic, false, "Make the run bitwise repeatable on the same device; slower on CUDA.");
RANGED_FLAG(uint32_t, epochs, 0, 1, lockstep::kMaxEpochs,
            "Epochs of each point, with one warm-up epoch; left out: 1 + --repeats.");
RANGED_FLAG(uint32_t, repeats, 0, 1, lockstep::kMaxEpochs,
            "Timed epochs of each point; left out: all but the first of --epochs, or 5.");
ABSL_FLAG(bool, evaluate, true, "Measure the test accuracy after the last epoch of each point.");
ABSL_FLAG(bool, evaluate_mirrored, false,
          "Also measure the test accuracy by the mean of the logits of each image and its mirror image. The record has "
          "both accuracies; --target_accuracy and all comparisons use the plain one.");
ABSL_FLAG(
    std::string, evaluation, "",
    "Forward pass that measures the test accuracy: autograd (LibTorch's in fp32), or fused (that of --step=fused, in "
    "--precision, which takes a fraction of the time); empty: fused with --preset=fast and --step=fused, else "
    "autograd.");
FLAG_WORDS(evaluation, "autograd", "fused");
RANGED_FLAG(uint32_t, evaluate_every, 0, 0, lockstep::kMaxEpochs,
            "Epochs between further evaluations; 0: none. Evaluation time does not count as training time.");
RANGED_FLAG(std::optional<uint32_t>, validation_images, std::nullopt, 0, 1'000'000,
            "Number of training images to hold out, the same ones in every run. The accuracy on them after the last "
            "epoch may be used to choose a recipe; the test set may not. 0: none.");
RANGED_FLAG(double, target_accuracy, 0, 0, 1,
            "Train until the test accuracy reaches this value, such as 0.94, or the epochs end. Evaluates after each "
            "epoch, or as in --evaluate_every. 0: no target.");
RANGED_FLAG(uint32_t, accumulate, 1, 1, lockstep::kMaxBatchSize,
            "Micro-batches per update, for a batch that does not fit in memory; batch norm then uses the statistics of "
            "a micro-batch.");
ABSL_FLAG(bool, resume, false,
          "Save each point's training state next to the output, as OUTPUT.POINT.state, and resume from it if the same "
          "run was stopped; with --deterministic to the same bits.");
RANGED_FLAG(uint32_t, state_every, 1, 1, lockstep::kMaxEpochs, "With --resume: epochs between saved states.");
RANGED_FLAG(uint32_t, checkpoint_batch, 0, 0, lockstep::kMaxBatchSize,
            "Batch size of the checkpoint; 0: the first batch size.");

namespace lockstep {

std::vector<FlagGroup> WithTrainingGroups(std::vector<FlagGroup> first) {
  const std::vector<FlagGroup> training = {
      {"training",
       "model, preset and duration",
       {{"model"},
        {"preset"},
        {"recipe"},
        {"epochs", "6: a warm-up and --repeats"},
        {"repeats", "5, or all but the first of --epochs"},
        {"seed"},
        {"learning_rate", "that of the model and optimizer"},
        {"schedule"},
        {"evaluate"}},
       HelpPages::kAll},
      {"recipe",
       "optimizer, schedule and augmentation",
       {{"optimizer"},
        {"momentum"},
        {"weight_decay"},
        {"augment"},
        {"border"},
        {"flip"},
        {"cutout", "0: none"},
        {"normalization"},
        {"lr_milestones"},
        {"lr_gamma", "0.1"},
        {"lr_warmup_epochs", "0: none"},
        {"lr_warmup_share", "0: --lr_warmup_epochs"},
        {"lr_warmup_start", "0: peak / warm-up steps"},
        {"label_smoothing", "0: none"},
        {"clip_norm", "0: no clipping"},
        {"lars", "0: plain SGD"},
        {"zero_gamma"},
        {"no_set_epoch"},
        {"accumulate"}}},
      {"target",
       "evaluation on test and held-out images",
       {{"target_accuracy", "0: none"},
        {"evaluate_every", "0: at the end"},
        {"evaluate_mirrored"},
        {"evaluation", "autograd; fast: that of the step"},
        {"validation_images", "none; a tenth with --experiment=large_batch"}}},
      {"resume", "resuming a stopped run", {{"resume"}, {"state_every"}, {"checkpoint_batch", "0: the first"}}},
      {"step",
       "expert: computation of a step; defaults depend on --preset",
       {{"deterministic"},
        {"step", "autograd; fast: fused, or autograd"},
        {"precision", "fp32; fast: bf16"},
        {"channels_last", "false; fast: true"},
        {"cuda_graph", "false; fast: true"},
        {"resident_images", "that of --cuda_graph"}}},
      {"gpu",
       "expert: parts of --step=fused on a GPU; defaults depend on --preset",
       {{"second_stream", "the preset's"},
        {"fused_sums", "the preset's"},
        {"fused_batch_norm", "the preset's"},
        {"divide_multiprocessors", "the preset's"},
        {"own_weight_gradients", "the preset's"},
        {"own_convolutions", "the preset's"},
        {"cudnn_convolutions"}}}};
  first.insert(first.end(), training.begin(), training.end());
  return first;
}

absl::Status ApplyRecipeFlag(const std::vector<std::string>& left_out) {
  return ApplyRecipe(absl::GetFlag(FLAGS_recipe), left_out);
}

absl::Status ReadTrainingFlags(proto::TrainingSpec& training) {
  RETURN_IF_ERROR(SetFieldsFromFlags(training, {"device", "normalization"}));
  ASSIGN_OR_RETURN(*training.mutable_normalization(), ParseNormalization(absl::GetFlag(FLAGS_normalization)));
  return SetEpochs(absl::GetFlag(FLAGS_epochs), absl::GetFlag(FLAGS_repeats), training);
}

}  // namespace lockstep
