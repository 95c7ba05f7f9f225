// Standard input as a file, for programs that pass it to several processes.
#ifndef LOCKSTEP_LIB_RECORD_STANDARD_INPUT_H_
#define LOCKSTEP_LIB_RECORD_STANDARD_INPUT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace lockstep {

// Largest copy, which is held in memory: 700,000 images, eleven times CIFAR-10.
inline constexpr uint64_t kMaxStandardInputBytes = uint64_t{2} << 30;

// Copies all of standard input into memory, and returns a path by which this process and its children can read the copy
// any number of times while this process lives. Nothing remains on disk, even if the process is killed. Declares the
// copy as an input (run_files.h). Errors:
//     - Cancelled: a stop signal was received;
//     - DataLoss: reading failed, or the input is larger than kMaxStandardInputBytes;
//     - ResourceExhausted: there is not enough memory.
absl::StatusOr<std::string> CopyStandardInput();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_STANDARD_INPUT_H_
