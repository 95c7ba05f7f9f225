#include "lib/train/training_spec.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/dataset/augmentation_spec.h"
#include "lib/dataset/normalization.h"
#include "lib/device/compute_threads.h"
#include "lib/device/device.h"
#include "lib/networks/optimizers.h"
#include "lib/train/step_switches.h"
#include "lib/train/train_step.h"

namespace lockstep {
namespace {

constexpr double kDefaultGamma = 0.1;  // default of torch.optim.lr_scheduler.MultiStepLR

// Returns the remedies for large batches that are on: ", LARS 0.001, ...".
std::string RemedyText(const proto::TrainingSpec& training) {
  std::string text;
  if (training.label_smoothing() != 0) {
    absl::StrAppend(&text, ", label smoothing ", training.label_smoothing());
  }
  if (training.clip_norm() != 0) {
    absl::StrAppend(&text, ", gradients clipped to a norm of ", training.clip_norm());
  }
  if (training.lars() != 0) {
    absl::StrAppend(&text, ", LARS ", training.lars());
  }
  return absl::StrCat(text, training.zero_gamma() ? ", last gammas start at 0" : "",
                      training.no_set_epoch() ? ", same order in every epoch" : "");
}

}  // namespace

proto::TrainingSpec SettleTraining(const std::string& preset, const proto::TrainingSpec& asked, c10::Device device) {
  proto::TrainingSpec spec = SettleStep(preset, asked);
  spec.set_device(ToDeviceKind(device));
  if (spec.schedule() == proto::CONSTANT) {
    spec.clear_schedule();  // same as in older records, which had no choice
  }
  if (spec.schedule() == proto::MULTISTEP && spec.lr_gamma() == 0) {
    spec.set_lr_gamma(kDefaultGamma);
  }
  if (spec.optimizer() == proto::SGD) {
    spec.clear_optimizer();  // same as in older records, which had no choice
  }
  if (spec.border() == proto::ZERO) {
    spec.clear_border();  // same as in older records, which had no choice
  }
  if (spec.flip() == proto::RANDOM) {
    spec.clear_flip();  // same as in older records, which had no choice
  }
  if (!HasMomentum(spec.optimizer())) {
    spec.clear_momentum();
  }
  if (spec.accumulate() == 1) {
    spec.clear_accumulate();  // same as in older records, which had no micro-batches
  }
  if (spec.learning_rate() == 0) {
    spec.set_learning_rate(DefaultLearningRate(spec.optimizer(), spec.model()));
  }
  if (spec.threads() == 0) {
    spec.set_threads(ComputeThreads());
  }
  return spec;
}

std::string RecipeText(const proto::TrainingSpec& training) {
  std::string text;
  if (training.optimizer() != proto::OPTIMIZER_KIND_UNSPECIFIED) {
    text = absl::StrCat(OptimizerWord(training.optimizer()), ", ");
  }
  absl::StrAppend(&text, "learning rate ", training.learning_rate());
  if (training.schedule() != proto::SCHEDULE_UNSPECIFIED) {
    absl::StrAppend(&text, ", ", absl::AsciiStrToLower(proto::Schedule_Name(training.schedule())));
  }
  if (training.schedule() == proto::MULTISTEP) {
    absl::StrAppend(&text, " times ", training.lr_gamma(), " at epochs ",
                    absl::StrJoin(training.lr_milestones(), ", "));
  }
  if (training.lr_warmup_epochs() != 0 || training.lr_warmup_share() != 0) {
    absl::StrAppend(&text, ", after a warm-up of ",
                    training.lr_warmup_share() != 0 ? absl::StrCat(100 * training.lr_warmup_share(), " % of the steps")
                                                    : absl::StrCat(training.lr_warmup_epochs(), " epochs"));
    if (training.lr_warmup_start() != 0) {
      absl::StrAppend(&text, " from ", training.lr_warmup_start());
    }
  }
  const std::string momentum =
      HasMomentum(training.optimizer()) ? absl::StrCat("momentum ", training.momentum(), ", ") : "";
  return absl::StrCat(text, "; ", momentum, "weight decay ", training.weight_decay(), RemedyText(training),
                      AugmentationInRecipe(training), NormalizationInRecipe(training.normalization()), ", seed ",
                      training.seed(), training.evaluate_mirrored() ? ", test accuracy also with mirror images" : "");
}

std::string HeldOutText(const proto::TrainingSpec& training) {
  return training.validation_images() == 0
             ? ""
             : absl::StrCat("  ", training.validation_images(),
                            " more training images are held out, for the validation accuracy\n");
}

}  // namespace lockstep
