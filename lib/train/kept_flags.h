// The flags about what a training run keeps beside its record: --resume, --state_every, --checkpoint.
#ifndef LOCKSTEP_LIB_TRAIN_KEPT_FLAGS_H_
#define LOCKSTEP_LIB_TRAIN_KEPT_FLAGS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"

namespace lockstep {

// InvalidArgument: a state beside standard output, or none ever, or weights for standard output.
absl::Status CheckKeptFlags(bool resume, uint32_t state_every, const std::string& output,
                            const std::string& checkpoint);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_KEPT_FLAGS_H_
