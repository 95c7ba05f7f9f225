// Replaces nccl_communicator.cc if the build found no NCCL, or no LibTorch with CUDA.
#include "lib/dist/communicator.h"

namespace lockstep {

absl::StatusOr<std::unique_ptr<Communicator>> MakeNcclCommunicator(Store&, int, int, const NcclOptions&) {
  return absl::UnavailableError(
      "this build is without NCCL, which ranks on GPUs need; build it where NCCL and LibTorch with CUDA are found "
      "(third_party/nccl/README.md), or use --device=cpu");
}

}  // namespace lockstep
