// Counts the blocks of a launch whose kernel was chosen elsewhere, such as by cuDNN.
#ifndef LOCKSTEP_LIB_KERNELS_LAUNCH_BLOCKS_H_
#define LOCKSTEP_LIB_KERNELS_LAUNCH_BLOCKS_H_

#include <cuda_runtime.h>

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lockstep {

// Returns the number of blocks of the largest kernel that `launch` launches on `stream`, or 0 if it launches no kernel.
// The launch is captured and does not run. Everything that it loads or allocates at its first call must already exist.
// Requirements for `stream` and errors: see CaptureGraph.
absl::StatusOr<uint64_t> MaxBlocks(cudaStream_t stream, const std::function<absl::Status()>& launch);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_LAUNCH_BLOCKS_H_
