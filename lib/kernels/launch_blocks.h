// How many blocks a launch has, of a kernel that somebody else chose.
#ifndef LOCKSTEP_LIB_KERNELS_LAUNCH_BLOCKS_H_
#define LOCKSTEP_LIB_KERNELS_LAUNCH_BLOCKS_H_

#include <cuda_runtime.h>

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lockstep {

// The blocks of the largest kernel of what `launch` launches on `stream`; it is captured, and does not run. 0: no kernel.
// What it loads or allocates at its first call must be there. `stream` and errors as with CaptureGraph.
absl::StatusOr<uint64_t> MostBlocks(cudaStream_t stream, const std::function<absl::Status()>& launch);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_LAUNCH_BLOCKS_H_
