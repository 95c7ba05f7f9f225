// Device memory for kernel tests: filled from a vector, read back into a vector. Test-only.
#ifndef LOCKSTEP_LIB_CUDA_DEVICE_ARRAY_TESTING_H_
#define LOCKSTEP_LIB_CUDA_DEVICE_ARRAY_TESTING_H_

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

#include "gtest/gtest.h"
#include "lib/cuda/cuda_status.h"

namespace lockstep::testing {

// Returns whether there is a GPU to run on.
inline bool HaveGpu() {
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
}

// Array of `count` values of T in device memory, freed with the object. A CUDA error fails the test.
template <typename T>
class DeviceArray {
 public:
  // Sets every byte to 0xFF, which is NaN for floats, so that elements which a kernel does not write are noticed.
  explicit DeviceArray(size_t count) : count_(count) {
    EXPECT_EQ(cudaMalloc(&data_, Bytes()), cudaSuccess);
    EXPECT_EQ(cudaMemset(data_, 0xFF, Bytes()), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(cudaStreamLegacy), cudaSuccess);
  }
  explicit DeviceArray(const std::vector<T>& host) : DeviceArray(host.size()) {
    EXPECT_EQ(CopyToDevice(data_, host.data(), Bytes()), cudaSuccess);
  }
  ~DeviceArray() { EXPECT_EQ(cudaFree(data_), cudaSuccess); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() { return data_; }

  std::vector<T> ToHost() const {
    std::vector<T> host(count_);
    EXPECT_EQ(cudaMemcpy(host.data(), data_, Bytes(), cudaMemcpyDeviceToHost), cudaSuccess);
    return host;
  }

 private:
  size_t Bytes() const { return count_ * sizeof(T); }

  const size_t count_;
  T* data_ = nullptr;
};

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_CUDA_DEVICE_ARRAY_TESTING_H_
