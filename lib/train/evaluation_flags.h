// The flags about test accuracy, which mean the same in every tool that trains. Knows nothing of LibTorch.
#ifndef LOCKSTEP_LIB_TRAIN_EVALUATION_FLAGS_H_
#define LOCKSTEP_LIB_TRAIN_EVALUATION_FLAGS_H_

#include <cstdint>

#include "absl/status/status.h"

namespace lockstep {

// Returns InvalidArgumentError for a target that is no fraction, and for something that needs an evaluation without one.
absl::Status CheckEvaluationFlags(bool evaluate, uint32_t evaluate_every, double target_accuracy,
                                  uint32_t validation_images);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_EVALUATION_FLAGS_H_
