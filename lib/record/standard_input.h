// Standard input as a file, for programs that hand it to several processes.
#ifndef LOCKSTEP_LIB_RECORD_STANDARD_INPUT_H_
#define LOCKSTEP_LIB_RECORD_STANDARD_INPUT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace lockstep {

// 700,000 pictures, eleven times CIFAR-10. It is memory that the copy takes.
inline constexpr uint64_t kMaxStandardInputBytes = uint64_t{2} << 30;

// Copies all of standard input into memory, and returns a path by which this process and its children can read it as often
// as they like, as long as this process lives. Nothing is left on disk, however it ends. The copy is declared as an input
// (run_files.h). Cancelled: a stop signal came. DataLoss: reading failed, or it is larger than kMaxStandardInputBytes.
// ResourceExhausted: no memory.
absl::StatusOr<std::string> CopyStandardInput();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_STANDARD_INPUT_H_
