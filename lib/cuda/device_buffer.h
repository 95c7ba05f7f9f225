// Owned device memory that reports errors as absl::Status; for tuning and benchmarks.
#ifndef LOCKSTEP_LIB_CUDA_DEVICE_BUFFER_H_
#define LOCKSTEP_LIB_CUDA_DEVICE_BUFFER_H_

#include <cuda_runtime.h>

#include <cstddef>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lockstep {

class DeviceBuffer {
 public:
  // Allocates `bytes` of uninitialized memory; with 0, data() is null. Returns ResourceExhaustedError if there is not
  // enough memory.
  static absl::StatusOr<DeviceBuffer> Make(size_t bytes);

  DeviceBuffer() = default;
  ~DeviceBuffer();
  DeviceBuffer(DeviceBuffer&& other) noexcept;
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;

  void* data() const { return data_; }

  // Fills the whole buffer with repetitions of the `count` bytes at `host`. The buffer is filled when the call returns.
  absl::Status Fill(const void* host, size_t count, cudaStream_t stream);

 private:
  void* data_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CUDA_DEVICE_BUFFER_H_
