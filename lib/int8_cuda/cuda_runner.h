// CudaRunner: adapter of CudaNetwork to the interface of replays and predictions (lib/int8/replay.h). A build without
// CUDA has a substitute that returns UnavailableError.
#ifndef LOCKSTEP_LIB_INT8_CUDA_CUDA_RUNNER_H_
#define LOCKSTEP_LIB_INT8_CUDA_CUDA_RUNNER_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/int8/replay.h"

namespace lockstep {

struct CudaRunner {
  MakeIntegerRunner make;  // its runners return the errors of CudaNetwork::Make and Run
  std::string isa;         // instructions, a name of GpuIsaName
};

// Returns true if ParseGpuIsa accepts the name.
bool IsGpuIsaName(absl::string_view name);

// Makes a runner for the current device. `isa`: "auto" for the fastest instructions of the device, or a name of
// ParseGpuIsa. Returns InvalidArgumentError for any other name, FailedPreconditionError if the GPU lacks the
// instructions, and UnavailableError if there is no GPU or this build has no CUDA.
absl::StatusOr<CudaRunner> MakeCudaRunner(absl::string_view isa);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CUDA_CUDA_RUNNER_H_
