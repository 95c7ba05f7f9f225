// Checks of the flags for files that a training run keeps next to its record: --resume, --state_every, --checkpoint.
#ifndef LOCKSTEP_LIB_TRAIN_KEPT_FLAGS_H_
#define LOCKSTEP_LIB_TRAIN_KEPT_FLAGS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"

namespace lockstep {

// Returns InvalidArgumentError for --resume with standard output, for state_every 0, and for a checkpoint to standard
// output.
absl::Status CheckKeptFlags(bool resume, uint32_t state_every, const std::string& output,
                            const std::string& checkpoint);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_KEPT_FLAGS_H_
