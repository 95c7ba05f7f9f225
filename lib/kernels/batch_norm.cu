// Memory traffic in bf16, bytes an element: statistics 2; apply 4.1 (6.1 with a residual); reduce 4.1; apply 6.1: 16.4
// in all, 0.23 s for the 30.7e9 activations of 50,000 images at an H200's 4.3 TB/s of copies, less what the L2 cache keeps
// from one kernel for the next.
//
// A block owns 64 channels and a share of the rows: 8 threads side by side hold 8 channels each (16 bytes in bf16), 64 of
// these one above the other. So a thread's channels never change, and its coefficients stay in registers.
//
// The reducing kernels run one block on each SM, with four rows a thread in flight (32 KB an SM in bf16; 4.3 TB/s times
// 0.6 us of latency, over 132 SMs, is 20 KB): more blocks would be more partial sums for the last block to add up alone,
// and 512 of them took 14.8 us instead of 10.0 at batch 32 (64 channels; H200, 2026-11-21).
#include <algorithm>

#include "lib/kernels/batch_norm.h"

namespace lockstep {
namespace {

constexpr uint32_t kVector = 8;                              // channels of a thread
constexpr uint32_t kLanes = kBatchNormChannels / kVector;    // threads beside each other
constexpr uint32_t kRowsAtOnce = 64;                         // threads above each other
constexpr uint32_t kThreads = kLanes * kRowsAtOnce;          // 512
constexpr uint32_t kRowsInFlight = 4;                        // of a thread of the reducing kernels
constexpr uint32_t kMinRowsPerBlock = 2 * kRowsAtOnce;       // fewer would not pay for the block's own reduction
constexpr uint32_t kParts = kThreads / kBatchNormChannels;   // of the sum over blocks, one a thread: 8

// Eight channels of one row.
template <typename T>
struct alignas(16) Pack {
  T value[kVector];
};

template <typename T>
__device__ void Load(const T* from, float (&to)[kVector]) {
  const Pack<T> pack = *reinterpret_cast<const Pack<T>*>(from);
#pragma unroll
  for (uint32_t i = 0; i < kVector; ++i) {
    to[i] = static_cast<float>(pack.value[i]);
  }
}

template <typename T>
__device__ void Store(const float (&from)[kVector], T* to) {
  Pack<T> pack;
#pragma unroll
  for (uint32_t i = 0; i < kVector; ++i) {
    pack.value[i] = T(from[i]);
  }
  *reinterpret_cast<Pack<T>*>(to) = pack;
}

// Where a thread works: its first channel, and its rows first, first + step, ...
struct Place {
  uint32_t channel;
  uint32_t first_row;
  uint32_t row_step;

  __device__ Place()
      : channel(blockIdx.y * kBatchNormChannels + threadIdx.x % kLanes * kVector),
        first_row(blockIdx.x * kRowsAtOnce + threadIdx.x / kLanes),
        row_step(gridDim.x * kRowsAtOnce) {}

  __device__ size_t At(const BatchNormShape& shape, uint32_t row) const {
    return static_cast<size_t>(row) * shape.channels + channel;
  }
};

// A row's channels, or `otherwise` beyond the last row.
template <typename T>
__device__ void LoadRow(const BatchNormShape& shape, const Place& place, uint32_t row, const T* x,
                        const float (&otherwise)[kVector], float (&to)[kVector]) {
  if (row < shape.rows) {
    Load(x + place.At(shape, row), to);
    return;
  }
#pragma unroll
  for (uint32_t i = 0; i < kVector; ++i) {
    to[i] = otherwise[i];
  }
}

// Of one channel's two sums, what all rows of a block gave.
struct Sums {
  float a;
  float b;
};

// The workspace: a counter of finished blocks for each channel block, then Sums (channel_blocks, row_blocks, 64).
struct Workspace {
  uint32_t* finished;
  Sums* partial;

  __device__ explicit Workspace(void* memory)
      : finished(static_cast<uint32_t*>(memory)),
        partial(reinterpret_cast<Sums*>(static_cast<char*>(memory) + gridDim.y * 16)) {}

  __device__ Sums& At(uint32_t row_block, uint32_t channel) {
    return partial[(blockIdx.y * gridDim.x + row_block) * kBatchNormChannels + channel];
  }
};

// Adds up the threads' sums over the block, then the blocks' over the grid. Returns true in the 64 threads of the last
// block that hold a channel's total in `total`. Always in the same order: threads by row, blocks by number.
__device__ bool ReduceOverRows(const float (&a)[kVector], const float (&b)[kVector], Workspace workspace, Sums& total) {
  __shared__ Sums of_thread[kRowsAtOnce][kBatchNormChannels];
  __shared__ bool is_last;
  const uint32_t row = threadIdx.x / kLanes;
  const uint32_t lane = threadIdx.x % kLanes;
#pragma unroll
  for (uint32_t i = 0; i < kVector; ++i) {
    of_thread[row][lane * kVector + i] = {a[i], b[i]};
  }
  __syncthreads();
  for (uint32_t half = kRowsAtOnce / 2; half > 0; half /= 2) {
    for (uint32_t i = threadIdx.x; i < half * kBatchNormChannels; i += kThreads) {
      Sums& to = of_thread[i / kBatchNormChannels][i % kBatchNormChannels];
      const Sums& from = of_thread[i / kBatchNormChannels + half][i % kBatchNormChannels];
      to = {to.a + from.a, to.b + from.b};
    }
    __syncthreads();
  }
  if (threadIdx.x < kBatchNormChannels) {
    workspace.At(blockIdx.x, threadIdx.x) = of_thread[0][threadIdx.x];
  }
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    is_last = atomicAdd(&workspace.finished[blockIdx.y], 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) {
    return false;
  }
  __threadfence();
  // Eight threads a channel take every eighth block; then one of them adds up the eight.
  const uint32_t channel = threadIdx.x % kBatchNormChannels;
  const uint32_t part = threadIdx.x / kBatchNormChannels;
  Sums sum = {0, 0};
#pragma unroll 8
  for (uint32_t block = part; block < gridDim.x; block += kParts) {
    const Sums partial = workspace.At(block, channel);
    sum = {sum.a + partial.a, sum.b + partial.b};
  }
  of_thread[part][channel] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    workspace.finished[blockIdx.y] = 0;
  }
  if (part != 0) {
    return false;
  }
  for (uint32_t i = 1; i < kParts; ++i) {
    sum = {sum.a + of_thread[i][channel].a, sum.b + of_thread[i][channel].b};
  }
  total = sum;
  return true;
}

template <typename T>
__global__ void StatisticsKernel(BatchNormShape shape, const T* x, BatchNormParameters parameters, BatchNormState state,
                                 void* memory) {
  const Place place;
  float origin[kVector];
#pragma unroll
  for (uint32_t i = 0; i < kVector; ++i) {
    origin[i] = parameters.running_mean[place.channel + i];
  }
  float sum[kVector] = {};
  float square_sum[kVector] = {};
  for (uint32_t row = place.first_row; row < shape.rows; row += kRowsInFlight * place.row_step) {
    float value[kRowsInFlight][kVector];
#pragma unroll
    for (uint32_t k = 0; k < kRowsInFlight; ++k) {
      LoadRow(shape, place, row + k * place.row_step, x, origin, value[k]);
    }
#pragma unroll
    for (uint32_t k = 0; k < kRowsInFlight; ++k) {
#pragma unroll
      for (uint32_t i = 0; i < kVector; ++i) {
        const float moved = value[k][i] - origin[i];
        sum[i] += moved;
        square_sum[i] += moved * moved;
      }
    }
  }
  Sums total;
  if (!ReduceOverRows(sum, square_sum, Workspace(memory), total)) {
    return;
  }
  const uint32_t channel = blockIdx.y * kBatchNormChannels + threadIdx.x;
  const float rows = static_cast<float>(shape.rows);
  const float moved_mean = total.a / rows;
  const float variance = fmaxf(total.b / rows - moved_mean * moved_mean, 0.0f);
  const float old_mean = parameters.running_mean[channel];
  const float mean = old_mean + moved_mean;
  const float inv_std = rsqrtf(variance + parameters.epsilon);
  const float scale = parameters.gamma[channel] * inv_std;
  state.mean[channel] = mean;
  state.inv_std[channel] = inv_std;
  state.scale[channel] = scale;
  state.shift[channel] = parameters.beta[channel] - mean * scale;
  parameters.running_mean[channel] = old_mean + parameters.momentum * moved_mean;
  const float unbiased = variance * (rows / (rows - 1));
  parameters.running_var[channel] += parameters.momentum * (unbiased - parameters.running_var[channel]);
}

template <typename T>
__global__ void ApplyKernel(BatchNormShape shape, const T* x, const float* scale, const float* shift,
                            BatchNormResidual<T> residual, T* y, uint8_t* relu_mask) {
  const Place place;
  float on_x[kVector], constant[kVector], on_residual[kVector];
#pragma unroll
  for (uint32_t i = 0; i < kVector; ++i) {
    on_x[i] = scale[place.channel + i];
    constant[i] = shift[place.channel + i] + (residual.shift != nullptr ? residual.shift[place.channel + i] : 0.0f);
    on_residual[i] = residual.scale != nullptr ? residual.scale[place.channel + i] : 1.0f;
  }
  for (uint32_t row = place.first_row; row < shape.rows; row += place.row_step) {
    const size_t at = place.At(shape, row);
    float value[kVector];
    Load(x + at, value);
#pragma unroll
    for (uint32_t i = 0; i < kVector; ++i) {
      value[i] = on_x[i] * value[i] + constant[i];
    }
    if (residual.residual != nullptr) {
      float added[kVector];
      Load(residual.residual + at, added);
#pragma unroll
      for (uint32_t i = 0; i < kVector; ++i) {
        value[i] += on_residual[i] * added[i];
      }
    }
    if (relu_mask != nullptr) {
      uint32_t mask = 0;
#pragma unroll
      for (uint32_t i = 0; i < kVector; ++i) {
        mask |= value[i] > 0 ? 1u << i : 0u;
        value[i] = fmaxf(value[i], 0.0f);
      }
      relu_mask[at / kVector] = static_cast<uint8_t>(mask);
    }
    Store(value, y + at);
  }
}

// The gradient before the ReLU, of eight channels of a row.
template <typename T>
__device__ void LoadUpstream(const BatchNormUpstream<T>& upstream, size_t at, float (&g)[kVector]) {
  Load(upstream.dy + at, g);
  if (upstream.dy2 != nullptr) {
    float other[kVector];
    Load(upstream.dy2 + at, other);
#pragma unroll
    for (uint32_t i = 0; i < kVector; ++i) {
      g[i] += other[i];
    }
  }
  const uint32_t mask = upstream.relu_mask != nullptr ? upstream.relu_mask[at / kVector] : 255u;
#pragma unroll
  for (uint32_t i = 0; i < kVector; ++i) {
    g[i] = (mask >> i & 1u) != 0 ? g[i] : 0.0f;
  }
}

template <typename T>
__global__ void BackwardReduceKernel(BatchNormShape shape, const T* x, BatchNormUpstream<T> upstream, BatchNormState state,
                                     BatchNormGradients gradients, void* memory) {
  const Place place;
  float mean[kVector];
#pragma unroll
  for (uint32_t i = 0; i < kVector; ++i) {
    mean[i] = state.mean[place.channel + i];
  }
  float g_sum[kVector] = {};
  float gx_sum[kVector] = {};  // of g * (x - mean)
  for (uint32_t row = place.first_row; row < shape.rows; row += kRowsInFlight * place.row_step) {
    float value[kRowsInFlight][kVector], g[kRowsInFlight][kVector] = {};
#pragma unroll
    for (uint32_t k = 0; k < kRowsInFlight; ++k) {
      const uint32_t of_k = row + k * place.row_step;
      LoadRow(shape, place, of_k, x, mean, value[k]);
      if (of_k < shape.rows) {
        LoadUpstream(upstream, place.At(shape, of_k), g[k]);
      }
    }
#pragma unroll
    for (uint32_t k = 0; k < kRowsInFlight; ++k) {
#pragma unroll
      for (uint32_t i = 0; i < kVector; ++i) {
        g_sum[i] += g[k][i];
        gx_sum[i] += g[k][i] * (value[k][i] - mean[i]);
      }
    }
  }
  Sums total;
  if (!ReduceOverRows(g_sum, gx_sum, Workspace(memory), total)) {
    return;
  }
  const uint32_t channel = blockIdx.y * kBatchNormChannels + threadIdx.x;
  const float rows = static_cast<float>(shape.rows);
  const float inv_std = state.inv_std[channel];
  const float dbeta = total.a;
  const float dgamma = total.b * inv_std;
  // dx = scale * (g - dbeta / rows - (x - mean) * inv_std * dgamma / rows)
  const float on_g = state.scale[channel];
  const float on_x = -on_g * inv_std * dgamma / rows;
  gradients.dbeta[channel] = dbeta;
  gradients.dgamma[channel] = dgamma;
  gradients.on_g[channel] = on_g;
  gradients.on_x[channel] = on_x;
  gradients.constant[channel] = -on_g * dbeta / rows - on_x * state.mean[channel];
}

template <typename T>
__global__ void BackwardApplyKernel(BatchNormShape shape, const T* x, BatchNormUpstream<T> upstream,
                                    BatchNormGradients gradients, T* dx, T* dresidual) {
  const Place place;
  float on_g[kVector], on_x[kVector], constant[kVector];
#pragma unroll
  for (uint32_t i = 0; i < kVector; ++i) {
    on_g[i] = gradients.on_g[place.channel + i];
    on_x[i] = gradients.on_x[place.channel + i];
    constant[i] = gradients.constant[place.channel + i];
  }
  for (uint32_t row = place.first_row; row < shape.rows; row += place.row_step) {
    const size_t at = place.At(shape, row);
    float value[kVector], g[kVector];
    Load(x + at, value);
    LoadUpstream(upstream, at, g);
    if (dresidual != nullptr) {
      Store(g, dresidual + at);
    }
#pragma unroll
    for (uint32_t i = 0; i < kVector; ++i) {
      value[i] = on_g[i] * g[i] + on_x[i] * value[i] + constant[i];
    }
    Store(value, dx + at);
  }
}

// The apply kernels reduce nothing: as many blocks as there are rows for, within what a grid of this GPU fills.
dim3 ApplyGrid(const BatchNormShape& shape) {
  const uint32_t wanted = (shape.rows + kRowsAtOnce - 1) / kRowsAtOnce;
  constexpr uint32_t kMost = 4096;  // 31 blocks for each of 132 SMs: the last ones' tail is short
  return dim3(std::min(wanted, kMost), shape.channels / kBatchNormChannels);
}

bool Fits(const BatchNormShape& shape) {
  return shape.rows >= 2 && shape.channels >= kBatchNormChannels && shape.channels % kBatchNormChannels == 0;
}

}  // namespace

BatchNormLaunch PlanBatchNorm(const BatchNormShape& shape, uint32_t multiprocessors) {
  BatchNormLaunch launch;
  launch.channel_blocks = shape.channels / kBatchNormChannels;
  const uint32_t most = std::max(1u, multiprocessors / std::max(1u, launch.channel_blocks));
  const uint32_t wanted = (shape.rows + kMinRowsPerBlock - 1) / kMinRowsPerBlock;
  launch.row_blocks = std::max(1u, std::min(most, wanted));
  return launch;
}

size_t BatchNormWorkspaceBytes(const BatchNormLaunch& launch) {
  return launch.channel_blocks * (16 + launch.row_blocks * kBatchNormChannels * sizeof(Sums));
}

template <typename T>
cudaError_t BatchNormStatistics(const BatchNormShape& shape, const BatchNormLaunch& launch, const T* x,
                                const BatchNormParameters& parameters, const BatchNormState& state, void* workspace,
                                cudaStream_t stream) {
  if (!Fits(shape)) {
    return cudaErrorInvalidValue;
  }
  StatisticsKernel<<<dim3(launch.row_blocks, launch.channel_blocks), kThreads, 0, stream>>>(shape, x, parameters, state,
                                                                                             workspace);
  return cudaGetLastError();
}

template <typename T>
cudaError_t BatchNormApply(const BatchNormShape& shape, const T* x, const float* scale, const float* shift,
                           const BatchNormResidual<T>& residual, T* y, uint8_t* relu_mask, cudaStream_t stream) {
  if (!Fits(shape)) {
    return cudaErrorInvalidValue;
  }
  ApplyKernel<<<ApplyGrid(shape), kThreads, 0, stream>>>(shape, x, scale, shift, residual, y, relu_mask);
  return cudaGetLastError();
}

template <typename T>
cudaError_t BatchNormBackwardReduce(const BatchNormShape& shape, const BatchNormLaunch& launch, const T* x,
                                    const BatchNormUpstream<T>& upstream, const BatchNormState& state,
                                    const BatchNormGradients& gradients, void* workspace, cudaStream_t stream) {
  if (!Fits(shape)) {
    return cudaErrorInvalidValue;
  }
  BackwardReduceKernel<<<dim3(launch.row_blocks, launch.channel_blocks), kThreads, 0, stream>>>(
      shape, x, upstream, state, gradients, workspace);
  return cudaGetLastError();
}

template <typename T>
cudaError_t BatchNormBackwardApply(const BatchNormShape& shape, const T* x, const BatchNormUpstream<T>& upstream,
                                   const BatchNormGradients& gradients, T* dx, T* dresidual, cudaStream_t stream) {
  if (!Fits(shape)) {
    return cudaErrorInvalidValue;
  }
  BackwardApplyKernel<<<ApplyGrid(shape), kThreads, 0, stream>>>(shape, x, upstream, gradients, dx, dresidual);
  return cudaGetLastError();
}

#define INSTANTIATE(T)                                                                                                 \
  template cudaError_t BatchNormStatistics(const BatchNormShape&, const BatchNormLaunch&, const T*,                    \
                                           const BatchNormParameters&, const BatchNormState&, void*, cudaStream_t);    \
  template cudaError_t BatchNormApply(const BatchNormShape&, const T*, const float*, const float*,                     \
                                      const BatchNormResidual<T>&, T*, uint8_t*, cudaStream_t);                        \
  template cudaError_t BatchNormBackwardReduce(const BatchNormShape&, const BatchNormLaunch&, const T*,                \
                                               const BatchNormUpstream<T>&, const BatchNormState&,                     \
                                               const BatchNormGradients&, void*, cudaStream_t);                        \
  template cudaError_t BatchNormBackwardApply(const BatchNormShape&, const T*, const BatchNormUpstream<T>&,            \
                                              const BatchNormGradients&, T*, T*, cudaStream_t)
INSTANTIATE(float);
INSTANTIATE(__nv_bfloat16);
#undef INSTANTIATE

}  // namespace lockstep
