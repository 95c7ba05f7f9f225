// CudaNetwork as what replays and predictions run a network with (lib/int8/replay.h). There is one without CUDA, too,
// which says so.
#ifndef LOCKSTEP_LIB_INT8_CUDA_CUDA_RUNNER_H_
#define LOCKSTEP_LIB_INT8_CUDA_CUDA_RUNNER_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/int8/replay.h"

namespace lockstep {

struct CudaRunner {
  MakeIntegerRunner make;  // errors of what it makes: as CudaNetwork::Make and Run
  std::string isa;         // its instructions: as GpuIsaName has them
};

// Whether the name is one of ParseGpuIsa's.
bool IsGpuIsaName(absl::string_view name);

// On the current device. `isa`: "auto", the fastest that it has, or as ParseGpuIsa has them. InvalidArgument: another
// name. FailedPrecondition: the GPU lacks it. Unavailable: there is no GPU, or this build is without CUDA.
absl::StatusOr<CudaRunner> MakeCudaRunner(absl::string_view isa);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CUDA_CUDA_RUNNER_H_
