// Replaces nccl_communicator.cc if the build found no NCCL, or no LibTorch with CUDA.
#include "lib/communicator/communicator.h"

namespace lockstep {

absl::StatusOr<std::unique_ptr<Communicator>> MakeNcclCommunicator(Store&, int, int, const NcclOptions&) {
  return absl::UnavailableError(
      "ranks on GPUs need NCCL, which this build does not have; build with NCCL and a LibTorch for CUDA "
      "(third_party/nccl/README.md), or use --device=cpu");
}

}  // namespace lockstep
