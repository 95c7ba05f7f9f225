// A kernel compiled by cuda_library runs and gives the right numbers; skipped where there is no GPU.

#include <cuda_runtime.h>

#include <vector>

#include "gtest/gtest.h"
#include "third_party/smoke/add_one.h"

namespace lockstep::smoke {
namespace {

TEST(CudaTest, KernelAddsOne) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    GTEST_SKIP() << "no CUDA device";
  }
  std::vector<float> host(1000, 41.0f);
  const size_t bytes = host.size() * sizeof(float);
  float* device = nullptr;
  ASSERT_EQ(cudaMalloc(&device, bytes), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(device, host.data(), bytes, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(AddOne(device, static_cast<int>(host.size())), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(host.data(), device, bytes, cudaMemcpyDeviceToHost), cudaSuccess);
  ASSERT_EQ(cudaFree(device), cudaSuccess);
  EXPECT_EQ(host, std::vector<float>(1000, 42.0f));
}

}  // namespace
}  // namespace lockstep::smoke
