// Batch normalisation in training, with what stands around it in a ResNet fused in: the residual addition and the ReLU.
//
//   y = relu(gamma * (x - mean) / sqrt(var + eps) + beta + residual)       Ioffe & Szegedy 2015; He et al. 2016, figure 2
//
// over activations in channels-last layout, seen as a matrix of `rows` = N*H*W by `channels`. Four kernels: statistics and
// apply forward, reduce and apply backward. Each passes over its inputs once, so that the forward pass moves x twice and y
// once. For the backward pass ReLU keeps one bit an element instead of y.
//
// Sums are in fp32, in an order that depends on the shape alone: the same input gives the same output, bit for bit, on
// every run. Activations are T (float or __nv_bfloat16), all else fp32.
#ifndef LOCKSTEP_LIB_KERNELS_BATCH_NORM_H_
#define LOCKSTEP_LIB_KERNELS_BATCH_NORM_H_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace lockstep {

// Channels must be a multiple of this: what one block handles, a line of 128 bytes in bf16.
inline constexpr uint32_t kBatchNormChannels = 64;
inline constexpr uint32_t kMaxBatchNormChannels = 4096;

struct BatchNormShape {
  uint32_t rows = 0;      // N * H * W, at least 2
  uint32_t channels = 0;  // a multiple of kBatchNormChannels, up to kMaxBatchNormChannels
};

// How the statistics and reduce kernels are launched: a function of the shape and the GPU's size alone.
struct BatchNormLaunch {
  uint32_t row_blocks = 0;      // blocks that share the rows
  uint32_t channel_blocks = 0;  // blocks side by side, kBatchNormChannels channels each
};
BatchNormLaunch PlanBatchNorm(const BatchNormShape& shape, uint32_t multiprocessors);

// Device memory that a launch needs besides its arguments, in bytes. It must be zeroed once, when it is allocated; each
// launch leaves it ready for the next, of whatever shape. Launches that share it must not run at the same time.
size_t BatchNormWorkspaceBytes(const BatchNormLaunch& launch);

// What every such workspace begins with: for each channel block a counter of finished blocks. They have the same place
// whatever the shape, so that launches of several shapes and kernels can share a workspace.
inline constexpr size_t kBatchNormCounterBytes = kMaxBatchNormChannels / kBatchNormChannels * sizeof(uint32_t);

// What the forward pass hands to itself and to the backward pass: fp32 (channels) each, on the device.
struct BatchNormState {
  float* mean = nullptr;     // of this batch
  float* inv_std = nullptr;  // 1 / sqrt(biased variance + epsilon)
  float* scale = nullptr;    // gamma * inv_std
  float* shift = nullptr;    // beta - mean * scale
};

struct BatchNormParameters {
  const float* gamma = nullptr;  // fp32 (channels)
  const float* beta = nullptr;
  float* running_mean = nullptr;  // moved towards the batch's by `momentum`; running_var takes the unbiased variance,
  float* running_var = nullptr;   // both as torch.nn.BatchNorm2d
  float momentum = 0.1f;
  float epsilon = 1e-5f;
};

// state = statistics of x: T (rows, channels). The sums are of x - running_mean (as it was), so that a mean far from 0 does
// not cancel the variance away.
template <typename T>
cudaError_t BatchNormStatistics(const BatchNormShape& shape, const BatchNormLaunch& launch, const T* x,
                                const BatchNormParameters& parameters, const BatchNormState& state, void* workspace,
                                cudaStream_t stream);

// What is added before the ReLU: residual: T (rows, channels); with scale and shift: fp32 (channels), scale * residual +
// shift, which is the batch norm of a shortcut without a pass of its own.
template <typename T>
struct BatchNormResidual {
  const T* residual = nullptr;   // null: nothing is added
  const float* scale = nullptr;  // null: 1 and 0
  const float* shift = nullptr;
};

// y: T (rows, channels). relu_mask: uint8 (rows, channels / 8), bit i of byte j is 1 where channel 8j + i was above 0; null:
// no ReLU.
template <typename T>
cudaError_t BatchNormApply(const BatchNormShape& shape, const T* x, const float* scale, const float* shift,
                           const BatchNormResidual<T>& residual, T* y, uint8_t* relu_mask, cudaStream_t stream);

// The gradient of y: T (rows, channels), given as one or two addends (a residual block's output feeds two branches), and
// the mask of the ReLU between y and the sum; null: there is none.
template <typename T>
struct BatchNormUpstream {
  const T* dy = nullptr;
  const T* dy2 = nullptr;  // null: nothing is added
  const uint8_t* relu_mask = nullptr;
};

// What the reduce kernel leaves: fp32 (channels) each, on the device. dx = on_g * g + on_x * x + constant, with g the
// gradient before the ReLU.
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

// dx: T (rows, channels); may be x. dresidual: T (rows, channels), the gradient before the ReLU, for a residual that was added as it
// is; null: not wanted.
template <typename T>
cudaError_t BatchNormBackwardApply(const BatchNormShape& shape, const T* x, const BatchNormUpstream<T>& upstream,
                                   const BatchNormGradients& gradients, T* dx, T* dresidual, cudaStream_t stream);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_BATCH_NORM_H_
