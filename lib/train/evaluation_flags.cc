#include "lib/train/evaluation_flags.h"

#include "absl/strings/str_cat.h"

namespace lockstep {

absl::Status CheckEvaluationFlags(bool evaluate, uint32_t evaluate_every, double target_accuracy,
                                  const proto::TrainingSpec& training) {
  if (!(target_accuracy >= 0 && target_accuracy <= 1)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--target_accuracy=", target_accuracy, ": expected a fraction of the test set, such as 0.94, or 0 for none"));
  }
  if (!evaluate && (evaluate_every != 0 || target_accuracy != 0)) {
    return absl::InvalidArgumentError(
        "--noevaluate: --evaluate_every and --target_accuracy need the test accuracy; leave one out");
  }
  if (!evaluate && training.evaluate_mirrored()) {
    return absl::InvalidArgumentError(
        "--noevaluate: --evaluate_mirrored adds an accuracy to the test accuracy; leave one out");
  }
  if (!evaluate && training.evaluation() != proto::STEP_KIND_UNSPECIFIED) {
    return absl::InvalidArgumentError(
        "--noevaluate: --evaluation chooses the forward pass that measures the test accuracy; leave one out");
  }
  if (!evaluate && training.validation_images() != 0) {
    return absl::InvalidArgumentError(
        "--noevaluate: --validation_images holds images out to evaluate the network on; leave one out");
  }
  return absl::OkStatus();
}

}  // namespace lockstep
