// Training-mode batch norm, fused with the residual addition and the ReLU that follow it in a ResNet.
//
//   y = relu(gamma * (x - mean) / sqrt(var + eps) + beta + residual)     Ioffe & Szegedy 2015; He et al. 2016, figure 2
//
// Channels-last activations are treated as a matrix of `rows` = N*H*W by `channels`. Four kernels: statistics and apply
// forward, reduce and apply backward. Each reads its inputs once, so the forward pass moves x twice and y once. For the
// backward pass, the ReLU saves one bit per element instead of y.
//
// Sums are in fp32, in an order that depends only on the shape: the same input gives the same output, bit for bit, on
// every run. Activations are T (float or __nv_bfloat16), everything else fp32.
#ifndef LOCKSTEP_LIB_KERNELS_BATCH_NORM_H_
#define LOCKSTEP_LIB_KERNELS_BATCH_NORM_H_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace lockstep {

// Channels that one block handles, 128 bytes in bf16. Channel counts must be a multiple of this.
inline constexpr uint32_t kBatchNormChannels = 64;
inline constexpr uint32_t kMaxBatchNormChannels = 4096;

struct BatchNormShape {
  uint32_t rows = 0;      // N * H * W, at least 2
  uint32_t channels = 0;  // must be a multiple of kBatchNormChannels, up to kMaxBatchNormChannels
};

// Launch dimensions of the statistics and reduce kernels. They depend only on the shape and the number of
// multiprocessors.
struct BatchNormLaunch {
  uint32_t row_blocks = 0;      // blocks that share the rows
  uint32_t channel_blocks = 0;  // blocks along the channels, kBatchNormChannels channels each
};
BatchNormLaunch PlanBatchNorm(const BatchNormShape& shape, uint32_t multiprocessors);

// Returns the bytes of device workspace of a launch. It must be zeroed once, after its allocation; each launch leaves
// it ready for the next of any shape. Launches that share a workspace must not run at the same time.
size_t BatchNormWorkspaceBytes(const BatchNormLaunch& launch);

// Bytes of the counters at the start of every such workspace: one counter of finished blocks per channel block. Their
// position is the same for all shapes, so that launches of several shapes and kernels can share a workspace.
inline constexpr size_t kBatchNormCounterBytes = kMaxBatchNormChannels / kBatchNormChannels * sizeof(uint32_t);

// Statistics that the forward pass computes for itself and for the backward pass: fp32 (channels) each, in device
// memory.
struct BatchNormState {
  float* mean = nullptr;     // mean of this batch
  float* inv_std = nullptr;  // 1 / sqrt(biased variance + epsilon)
  float* scale = nullptr;    // gamma * inv_std
  float* shift = nullptr;    // beta - mean * scale
};

struct BatchNormParameters {
  const float* gamma = nullptr;  // fp32 (channels)
  const float* beta = nullptr;
  // Running statistics as in torch.nn.BatchNorm2d: they move by `momentum` towards the batch's mean and
  // unbiased variance.
  float* running_mean = nullptr;
  float* running_var = nullptr;
  float momentum = 0.1f;
  float epsilon = 1e-5f;
};

// Computes `state` from x: T (rows, channels). Sums x - running_mean (the value before the update), so that a mean far
// from 0 does not cause cancellation in the variance. All four functions run on `stream` and return the launch's error,
// or cudaErrorInvalidValue for an unsupported shape.
template <typename T>
cudaError_t BatchNormStatistics(const BatchNormShape& shape, const BatchNormLaunch& launch, const T* x,
                                const BatchNormParameters& parameters, const BatchNormState& state, void* workspace,
                                cudaStream_t stream);

// Order in which the blocks of an apply kernel take the rows. They should begin with the rows that the L2 cache still
// holds: the last ones after a convolution, the first ones after the reducing kernels here, which begin with the last.
enum class RowOrder { kFirstToLast, kLastToFirst };

// Addend before the ReLU: residual: T (rows, channels), or scale * residual + shift with scale and shift: fp32
// (channels). The latter applies the batch norm of a shortcut without a separate pass.
template <typename T>
struct BatchNormResidual {
  const T* residual = nullptr;   // null: no residual
  const float* scale = nullptr;  // null: scale is 1 and shift is 0
  const float* shift = nullptr;
};

// Writes y: T (rows, channels), and relu_mask: uint8 (rows, channels / 8); bit i of byte j is 1 if channel 8j + i was
// above 0. A null relu_mask disables the ReLU. The values do not depend on `order`.
template <typename T>
cudaError_t BatchNormApply(const BatchNormShape& shape, const T* x, const float* scale, const float* shift,
                           const BatchNormResidual<T>& residual, T* y, uint8_t* relu_mask, RowOrder order,
                           cudaStream_t stream);

// Gradient of y: T (rows, channels), as one or two addends (a residual block's output feeds two branches), and the mask
// of the ReLU between y and the sum; null: no ReLU.
template <typename T>
struct BatchNormUpstream {
  const T* dy = nullptr;
  const T* dy2 = nullptr;  // null: no second addend
  const uint8_t* relu_mask = nullptr;
};

// Results of the reduce kernel: fp32 (channels) each, in device memory. dx = on_g * g + on_x * x + constant, where g is
// the gradient before the ReLU.
struct BatchNormGradients {
  float* dgamma = nullptr;
  float* dbeta = nullptr;
  float* on_g = nullptr;
  float* on_x = nullptr;
  float* constant = nullptr;
};

template <typename T>
cudaError_t BatchNormBackwardReduce(const BatchNormShape& shape, const BatchNormLaunch& launch, const T* x,
                                    const BatchNormUpstream<T>& upstream, const BatchNormState& state,
                                    const BatchNormGradients& gradients, void* workspace, cudaStream_t stream);

// Writes dx: T (rows, channels), which may be x, and, unless null, dresidual: T (rows, channels), the gradient before
// the ReLU, for a residual that was added without scale and shift. The values do not depend on `order`.
template <typename T>
cudaError_t BatchNormBackwardApply(const BatchNormShape& shape, const T* x, const BatchNormUpstream<T>& upstream,
                                   const BatchNormGradients& gradients, T* dx, T* dresidual, RowOrder order,
                                   cudaStream_t stream);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_BATCH_NORM_H_
