#include "lib/cuda/device_buffer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"

namespace lockstep {

absl::StatusOr<DeviceBuffer> DeviceBuffer::Make(size_t bytes) {
  DeviceBuffer buffer;
  if (bytes > 0) {
    RETURN_IF_ERROR(
        CudaStatus(cudaMalloc(&buffer.data_, bytes), absl::StrCat("allocate ", bytes, " bytes on the GPU")));
    buffer.bytes_ = bytes;
  }
  return buffer;
}

DeviceBuffer::~DeviceBuffer() {
  if (data_ != nullptr) {
    (void)cudaFree(data_);
  }
}

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

absl::Status DeviceBuffer::Fill(const void* host, size_t count, cudaStream_t stream) {
  size_t done = std::min(count, bytes_);
  RETURN_IF_ERROR(CudaStatus(cudaMemcpyAsync(data_, host, done, cudaMemcpyHostToDevice, stream), "fill a buffer"));
  while (done > 0 && done < bytes_) {  // doubles the filled part
    const size_t more = std::min(done, bytes_ - done);
    RETURN_IF_ERROR(
        CudaStatus(cudaMemcpyAsync(static_cast<char*>(data_) + done, data_, more, cudaMemcpyDeviceToDevice, stream),
                   "fill a buffer"));
    done += more;
  }
  return CudaStatus(cudaStreamSynchronize(stream), "fill a buffer");
}

}  // namespace lockstep
