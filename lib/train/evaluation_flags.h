// Checks of the flags for test accuracy, which every training tool shares. Does not depend on LibTorch.
#ifndef LOCKSTEP_LIB_TRAIN_EVALUATION_FLAGS_H_
#define LOCKSTEP_LIB_TRAIN_EVALUATION_FLAGS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

// Returns InvalidArgumentError if the target is not a fraction, or if a flag needs an evaluation and `evaluate` is
// false.
absl::Status CheckEvaluationFlags(bool evaluate, uint32_t evaluate_every, double target_accuracy,
                                  const proto::TrainingSpec& training);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_EVALUATION_FLAGS_H_
