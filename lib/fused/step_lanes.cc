#include "lib/fused/step_lanes.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/kernels/cuda_status.h"

namespace lockstep {
namespace {

absl::Status MakeStream(int priority, cudaStream_t& stream) {
  return CudaStatus(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority), "making a CUDA stream");
}

}  // namespace

StepLanes::~StepLanes() {
  cudaDeviceSynchronize();
  for (Lane* lane : {&main_, &side_, &branch_, &shortcut_weights_}) {
    cudaFree(lane->convolution_workspace);
    lane->context.reset();
  }
  for (const cudaStream_t stream :
       {main_.stream, side_.stream, branch_.stream, shortcut_weights_.stream, sums_, update_, tail_}) {
    if (stream != nullptr) {
      cudaStreamDestroy(stream);
    }
  }
}

absl::Status StepLanes::Init() {
  int least = 0, greatest = 0;
  RETURN_IF_ERROR(CudaStatus(cudaDeviceGetStreamPriorityRange(&least, &greatest), "asking the GPU"));
  const int high = std::min(greatest + 1, least);  // the greatest priority is the smallest number
  RETURN_IF_ERROR(MakeLane(high, main_));
  RETURN_IF_ERROR(MakeLane(least, side_));
  RETURN_IF_ERROR(MakeLane(high, branch_));
  RETURN_IF_ERROR(MakeLane(least, shortcut_weights_));
  RETURN_IF_ERROR(MakeStream(least, sums_));
  RETURN_IF_ERROR(MakeStream(least, update_));
  return MakeStream(greatest, tail_);
}

void StepLanes::SetNormWorkspaces(const std::array<char*, 3>& workspaces) {
  main_.norm_workspace = workspaces[0];
  side_.norm_workspace = workspaces[1];
  branch_.norm_workspace = workspaces[2];
}

absl::Status StepLanes::MakeRoom(size_t bytes) {
  RETURN_IF_ERROR(GrowWorkspace(bytes, main_));
  return GrowWorkspace(bytes, side_);
}

absl::Status StepLanes::MakeRoomForShortcut(size_t bytes) { return GrowWorkspace(bytes, branch_); }

absl::Status StepLanes::MakeRoomForDividedShortcutWeights(size_t bytes) {
  return GrowWorkspace(bytes, shortcut_weights_);
}

absl::Status StepLanes::MakeRoomForOwnWeightGradient(size_t bytes) {
  return GrowWorkspace(bytes, two_streams_ ? side_ : main_);
}

size_t StepLanes::bytes() const {
  size_t sum = 0;
  for (const Lane* lane : all()) {
    sum += lane->workspace_bytes;
  }
  return sum;
}

absl::Status StepLanes::MakeLane(int priority, Lane& lane) {
  RETURN_IF_ERROR(MakeStream(priority, lane.stream));
  ASSIGN_OR_RETURN(lane.context, ConvolutionContext::Make(lane.stream));
  return absl::OkStatus();
}

absl::Status StepLanes::GrowWorkspace(size_t bytes, Lane& lane) {
  if (bytes <= lane.workspace_bytes) {
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(CudaStatus(cudaDeviceSynchronize(), "waiting for the GPU"));
  cudaFree(std::exchange(lane.convolution_workspace, nullptr));
  lane.workspace_bytes = 0;
  RETURN_IF_ERROR(CudaStatus(cudaMalloc(&lane.convolution_workspace, bytes),
                             absl::StrCat("allocating ", bytes, " bytes for convolutions on the GPU")));
  lane.workspace_bytes = bytes;
  return absl::OkStatus();
}

}  // namespace lockstep
