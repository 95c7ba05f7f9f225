// Makes one stream wait for another. In a captured graph, the dependency becomes an edge.
#ifndef LOCKSTEP_LIB_CUDA_FOLLOW_STREAM_H_
#define LOCKSTEP_LIB_CUDA_FOLLOW_STREAM_H_

#include <cuda_runtime.h>

#include "absl/status/status.h"
#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"

namespace lockstep {

// Makes everything queued on `then` from now on wait for everything queued on `first` so far. Records `event` anew.
inline absl::Status FollowStream(cudaEvent_t event, cudaStream_t first, cudaStream_t then) {
  RETURN_IF_ERROR(CudaStatus(cudaEventRecord(event, first), "recording an event"));
  return CudaStatus(cudaStreamWaitEvent(then, event), "waiting for an event");
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CUDA_FOLLOW_STREAM_H_
