#include "lib/fused/step_streams.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"

namespace lockstep {
namespace {

absl::Status MakeStream(int priority, cudaStream_t& stream) {
  return CudaStatus(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority), "making a CUDA stream");
}

}  // namespace

StepStreams::~StepStreams() {
  cudaDeviceSynchronize();
  for (StepStream* stream : {&main_, &side_, &branch_, &shortcut_weights_}) {
    cudaFree(stream->convolution_workspace);
    stream->context.reset();
  }
  for (const cudaStream_t stream :
       {main_.handle, side_.handle, branch_.handle, shortcut_weights_.handle, sums_, update_, tail_}) {
    if (stream != nullptr) {
      cudaStreamDestroy(stream);
    }
  }
}

absl::Status StepStreams::Init() {
  int least = 0, greatest = 0;
  RETURN_IF_ERROR(CudaStatus(cudaDeviceGetStreamPriorityRange(&least, &greatest), "asking the GPU"));
  const int high = std::min(greatest + 1, least);  // the greatest priority is the smallest number
  RETURN_IF_ERROR(MakeStepStream(high, main_));
  RETURN_IF_ERROR(MakeStepStream(least, side_));
  RETURN_IF_ERROR(MakeStepStream(high, branch_));
  RETURN_IF_ERROR(MakeStepStream(least, shortcut_weights_));
  RETURN_IF_ERROR(MakeStream(least, sums_));
  RETURN_IF_ERROR(MakeStream(least, update_));
  return MakeStream(greatest, tail_);
}

void StepStreams::SetBatchNormWorkspaces(const std::array<char*, 3>& workspaces) {
  main_.batch_norm_workspace = workspaces[0];
  side_.batch_norm_workspace = workspaces[1];
  branch_.batch_norm_workspace = workspaces[2];
}

absl::Status StepStreams::GrowWorkspaces(size_t bytes) {
  RETURN_IF_ERROR(GrowWorkspace(bytes, main_));
  return GrowWorkspace(bytes, side_);
}

absl::Status StepStreams::GrowShortcutWorkspace(size_t bytes) { return GrowWorkspace(bytes, branch_); }

absl::Status StepStreams::GrowShortcutWeightsWorkspace(size_t bytes) { return GrowWorkspace(bytes, shortcut_weights_); }

absl::Status StepStreams::GrowOwnWeightGradientWorkspace(size_t bytes) {
  return GrowWorkspace(bytes, two_streams_ ? side_ : main_);
}

size_t StepStreams::bytes() const {
  size_t sum = 0;
  for (const StepStream* stream : all()) {
    sum += stream->workspace_bytes;
  }
  return sum;
}

absl::Status StepStreams::MakeStepStream(int priority, StepStream& stream) {
  RETURN_IF_ERROR(MakeStream(priority, stream.handle));
  ASSIGN_OR_RETURN(stream.context, ConvolutionContext::Make(stream.handle));
  return absl::OkStatus();
}

absl::Status StepStreams::GrowWorkspace(size_t bytes, StepStream& stream) {
  if (bytes <= stream.workspace_bytes) {
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(CudaStatus(cudaDeviceSynchronize(), "waiting for the GPU"));
  cudaFree(std::exchange(stream.convolution_workspace, nullptr));
  stream.workspace_bytes = 0;
  RETURN_IF_ERROR(CudaStatus(cudaMalloc(&stream.convolution_workspace, bytes),
                             absl::StrCat("allocating ", bytes, " bytes for convolutions on the GPU")));
  stream.workspace_bytes = bytes;
  return absl::OkStatus();
}

}  // namespace lockstep
