#include "lib/fused/stream_fork.h"

#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"

namespace lockstep {
namespace {

// Events of a step. A step of ResNet-18 takes 4 per block, 3 per shortcut, and 5 more: 46. With partitioned SMs it
// takes 4 per block, 2 per shortcut, 2 per weight gradient with split-K partials, and 13 more: 83 at most, and 155 for
// ResNet-34's 16 blocks and 36 weight gradients.
constexpr size_t kEvents = 160;

}  // namespace

StreamFork::~StreamFork() {
  for (const cudaEvent_t event : events_) {
    cudaEventDestroy(event);
  }
}

absl::Status StreamFork::Init() {
  while (events_.size() < kEvents) {
    cudaEvent_t event;
    RETURN_IF_ERROR(CudaStatus(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "making a CUDA event"));
    events_.push_back(event);
  }
  return absl::OkStatus();
}

absl::StatusOr<cudaEvent_t> StreamFork::Record(cudaStream_t stream) {
  if (used_ == events_.size()) {
    return absl::InternalError("a step has more waits than events");
  }
  const cudaEvent_t event = events_[used_++];
  RETURN_IF_ERROR(CudaStatus(cudaEventRecord(event, stream), "recording a CUDA event"));
  return event;
}

absl::Status StreamFork::Wait(cudaStream_t stream, cudaEvent_t event) {
  return event == nullptr ? absl::OkStatus()
                          : CudaStatus(cudaStreamWaitEvent(stream, event, 0), "waiting for a CUDA event");
}

absl::Status StreamFork::Follow(cudaStream_t leader, cudaStream_t follower) {
  if (leader == follower) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const cudaEvent_t event, Record(leader));
  return Wait(follower, event);
}

}  // namespace lockstep
