// A block has all rows of eight channels and keeps them in registers, so that it needs no sums of other blocks. It
// reads 16 bytes of each row, half of what a memory access transfers; the tensors are small and mostly in the L2 cache.
#include "lib/kernels/batch_norm_backward.h"
#include "lib/kernels/batch_norm_rows.cuh"

namespace lockstep {
namespace {

using namespace batch_norm;

constexpr uint32_t kBlockThreads = 256;
constexpr uint32_t kBlockWarps = kBlockThreads / kWarp;
constexpr uint32_t kFewRows = 2;  // rows per thread if there are few: 512 are those of 32 images of 4x4
constexpr uint32_t kManyRows = kMaxBatchNormBackwardRows / kBlockThreads;

using BackwardRows = BackwardRow<__nv_bfloat16, false>;

// Adds up the threads' sums over the block. Returns the total of channel threadIdx.x in the first eight threads. Fixed
// order: the threads of a warp in pairs, then the warps by number.
__device__ Sums AddBlock(float (&a)[kVector], float (&b)[kVector]) {
  __shared__ Sums of_warp[kBlockWarps][kVector];
  const uint32_t warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
#pragma unroll
  for (uint32_t i = 0; i < kVector; ++i) {
#pragma unroll
    for (uint32_t other = 1; other < kWarp; other *= 2) {
      a[i] += __shfl_xor_sync(0xFFFFFFFFu, a[i], other);
      b[i] += __shfl_xor_sync(0xFFFFFFFFu, b[i], other);
    }
    if (lane == 0) {
      of_warp[warp][i] = {a[i], b[i]};
    }
  }
  __syncthreads();
  Sums total = {0, 0};
  if (threadIdx.x < kVector) {
#pragma unroll
    for (const auto& sums : of_warp) {
      total = {total.a + sums[threadIdx.x].a, total.b + sums[threadIdx.x].b};
    }
  }
  return total;
}

// kRows: rows per thread.
template <uint32_t kRows>
__global__ void __launch_bounds__(kBlockThreads)
    BatchNormBackwardKernel(BatchNormShape shape, const __nv_bfloat16* x, BatchNormUpstream<__nv_bfloat16> upstream,
                            BatchNormState state, BatchNormGradients gradients, __nv_bfloat16* dx,
                            __nv_bfloat16* dresidual) {
  const uint32_t channel = blockIdx.x * kVector;
  const auto at = [&](uint32_t row) { return static_cast<size_t>(row) * shape.channels + channel; };
  BackwardRows rows[kRows];
#pragma unroll
  for (uint32_t k = 0; k < kRows; ++k) {
    rows[k].LoadLast(x, upstream, at(Within(shape, threadIdx.x + k * kBlockThreads)));
  }
  const BackwardFinish finish(state, channel + threadIdx.x % kVector);
  float mean[kVector], g_sum[kVector] = {}, gx_sum[kVector] = {};
  LoadChannels(state.mean + channel, mean);
#pragma unroll
  for (uint32_t k = 0; k < kRows; ++k) {
    const bool inside = threadIdx.x + k * kBlockThreads < shape.rows;
#pragma unroll
    for (uint32_t i = 0; i < kVector; ++i) {
      const float g = inside ? rows[k].Gradient(i) : 0.0f;
      g_sum[i] += g;
      gx_sum[i] += g * (static_cast<float>(rows[k].x.value[i]) - mean[i]);
    }
  }
  __shared__ BackwardFinish::Applied of_channel[kVector];
  const Sums total = AddBlock(g_sum, gx_sum);
  if (threadIdx.x < kVector) {
    of_channel[threadIdx.x] = finish.Finish(total, shape.rows, gradients);
  }
  __syncthreads();
  float on_g[kVector], on_x[kVector], constant[kVector];
#pragma unroll
  for (uint32_t i = 0; i < kVector; ++i) {
    on_g[i] = of_channel[i].on_g;
    on_x[i] = of_channel[i].on_x;
    constant[i] = of_channel[i].constant;
  }
#pragma unroll
  for (uint32_t k = 0; k < kRows; ++k) {
    const uint32_t row = threadIdx.x + k * kBlockThreads;
    if (row < shape.rows) {
      rows[k].Apply(on_g, on_x, constant, at(row), dx, dresidual);
    }
  }
}

}  // namespace

cudaError_t BatchNormBackwardAtOnce(const BatchNormShape& shape, const __nv_bfloat16* x,
                                    const BatchNormUpstream<__nv_bfloat16>& upstream, const BatchNormState& state,
                                    const BatchNormGradients& gradients, __nv_bfloat16* dx, __nv_bfloat16* dresidual,
                                    cudaStream_t stream) {
  if (!Fits(shape) || shape.rows > kMaxBatchNormBackwardRows || upstream.dy2 != nullptr) {
    return cudaErrorInvalidValue;
  }
  const auto kernel =
      shape.rows <= kFewRows * kBlockThreads ? BatchNormBackwardKernel<kFewRows> : BatchNormBackwardKernel<kManyRows>;
  kernel<<<shape.channels / kVector, kBlockThreads, 0, stream>>>(shape, x, upstream, state, gradients, dx, dresidual);
  return cudaGetLastError();
}

}  // namespace lockstep
