// The flags about test accuracy, which mean the same in every tool that trains. Knows nothing of LibTorch.
#ifndef LOCKSTEP_LIB_TRAIN_EVALUATION_FLAGS_H_
#define LOCKSTEP_LIB_TRAIN_EVALUATION_FLAGS_H_

#include <cstdint>

#include "absl/status/status.h"

namespace lockstep {

// InvalidArgument: a target that is no fraction, or something that needs an evaluation without one.
absl::Status CheckEvaluationFlags(bool evaluate, uint32_t evaluate_every, double target_accuracy);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_EVALUATION_FLAGS_H_
