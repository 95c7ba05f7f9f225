#include "third_party/smoke/add_one.h"

namespace lockstep::smoke {
namespace {

constexpr int kThreads = 128;

__global__ void AddOneKernel(float* values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    values[i] += 1.0f;
  }
}

}  // namespace

cudaError_t AddOne(float* values, int count) {
  AddOneKernel<<<(count + kThreads - 1) / kThreads, kThreads>>>(values, count);
  return cudaGetLastError();
}

}  // namespace lockstep::smoke
