#include "tools/training_flags.h"

#include <cstdint>
#include <limits>
#include <string>

#include "absl/flags/flag.h"
#include "lib/base/flag_range.h"

ABSL_FLAG(std::string, model, "resnet18", "resnet18, lenet5 or lenet5_bias.");
RANGED_FLAG(uint64_t, seed, 0, 0, std::numeric_limits<uint64_t>::max(),
            "Of the initial weights, the order of the images, and their augmentation.");
RANGED_FLAG(double, learning_rate, 0, 0, 1000, "Of SGD; 0: the model's own, 0.1 for resnet18 and 0.01 for lenet5.");
RANGED_FLAG(double, momentum, 0.9, 0, 1, "Of SGD.");
RANGED_FLAG(double, weight_decay, 5e-4, 0, 1000, "Of SGD.");
ABSL_FLAG(bool, augment, true, "Random crop with padding 4 and horizontal flip.");
ABSL_FLAG(bool, deterministic, false, "Bitwise repeatable on the same device; slower on CUDA.");

namespace lockstep {

void ReadTrainingFlags(proto::TrainingSpec& training) {
  training.set_model(absl::GetFlag(FLAGS_model));
  training.set_seed(absl::GetFlag(FLAGS_seed));
  training.set_learning_rate(absl::GetFlag(FLAGS_learning_rate));
  training.set_momentum(absl::GetFlag(FLAGS_momentum));
  training.set_weight_decay(absl::GetFlag(FLAGS_weight_decay));
  training.set_augment(absl::GetFlag(FLAGS_augment));
  training.set_deterministic(absl::GetFlag(FLAGS_deterministic));
}

}  // namespace lockstep
