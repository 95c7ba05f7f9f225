#include "tools/training_flags.h"

#include <limits>

#include "lib/base/flag_range.h"
#include "lib/base/flag_values.h"
#include "lib/base/status_macros.h"
#include "lib/train/schedule.h"

ABSL_FLAG(std::string, input, "", "The data set: a record file of cifar_prep; '-': standard input.");
ABSL_FLAG(bool, force, false, "Make the output again even when it already holds this result.");
ABSL_FLAG(bool, dry_run, false, "Print the plan and exit.");
ABSL_FLAG(std::string, model, "resnet18", "resnet18, lenet5 or lenet5_bias.");
RANGED_FLAG(uint64_t, seed, 0, 0, std::numeric_limits<uint64_t>::max(),
            "Of the initial weights, the order of the images, and their augmentation.");
RANGED_FLAG(double, learning_rate, 0, 0, 1000, "Of SGD; 0: the model's own, 0.1 for resnet18 and 0.01 for lenet5.");
RANGED_FLAG(double, momentum, 0.9, 0, 1, "Of SGD.");
RANGED_FLAG(double, weight_decay, 5e-4, 0, 1000, "Of SGD.");
ABSL_FLAG(bool, augment, true, "Random crop with padding 4 and horizontal flip.");
ABSL_FLAG(bool, deterministic, false, "Bitwise repeatable on the same device; slower on CUDA.");
RANGED_FLAG(uint32_t, epochs, 0, 0, lockstep::kMaxEpochs,
            "Epochs of each point, the first of which is a warm-up; 0: 1 + repeats.");
RANGED_FLAG(uint32_t, repeats, 0, 0, lockstep::kMaxEpochs,
            "Timed epochs of each point; 0: all but the first of --epochs, or 5.");
ABSL_DECLARE_FLAG(uint32_t, workers);

namespace lockstep {

absl::Status ReadTrainingFlags(proto::TrainingSpec& training) {
  RETURN_IF_ERROR(SetFieldsFromFlags(training, {"device"}));
  training.set_loader_workers(absl::GetFlag(FLAGS_workers));
  return SetEpochs(absl::GetFlag(FLAGS_epochs), absl::GetFlag(FLAGS_repeats), training);
}

}  // namespace lockstep
