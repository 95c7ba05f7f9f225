// A convolution in bf16, 3x3 or 1x1, with the sums of a batch norm: forward the statistics of its output, backward the
// gradients of the batch norm (and ReLU) whose output the convolution read. On Hopper this saves a pass over the
// activations and a launch (method: convolution_batch_norm.cu).
//
//   forward:   y = w * x;                                    state = statistics of y        (BatchNormStatistics)
//   backward:  g = mask * (w^T * dy + addend);               gradients = sums of g and x    (BatchNormBackwardReduce)
//
// For small batches the same launch also applies the batch norm (backward: up to its input's gradient): its blocks keep
// their tiles, in registers or in shared memory, and wait for each other's sums.
//
// Reference: convolution.h followed by batch_norm.h. Layouts are the same: activations NHWC, weights KRSC, all in bf16.
// Sums are in fp32, in an order that depends only on shape, config and GPU: the same input gives the same bits on every
// run.
#ifndef LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_H_
#define LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_H_

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/kernels/batch_norm.h"
#include "lib/kernels/convolution_batch_norm_kernel.h"
#include "lib/kernels/convolution_batch_norm_plan.h"
#include "lib/kernels/convolution_shape.h"

namespace lockstep {

// Overlap of a launch with the launches before and after it on its stream (lib/cuda/overlapped_launch.cuh). It changes
// no result.
struct ConvolutionOverlap {
  // Copies weights to shared memory before the previous launches have ended. The launch that wrote the weights must
  // have ended before the previous launch on the stream began, or before it stopped waiting for the launches before it.
  bool weights_ahead = false;
  // If the launch applies the batch norm: lets the next launch begin while the blocks wait for each other's sums,
  // instead of after that wait. The next launch's blocks then occupy free multiprocessors for longer.
  bool next_early = false;
};

// Returns whether all blocks of a launch that applies the batch norm do run at once on the current device: the context
// holds that many clusters (GPUs of one model differ in this) and no other process uses multiprocessors
// (BlocksMayWaitForEachOther). Other launches of this process must end by themselves. Returns InternalError if CUDA
// reports no number.
absl::StatusOr<bool> ConvolutionBatchNormMayWait(const ConvolutionShape& shape, ConvolutionPass pass,
                                                 const ConvolutionBatchNormConfig& config, uint32_t multiprocessors);

// Returns the bytes of device memory for the `lamport_buffer` of such a launch, through which its blocks exchange their
// sums. It must be zeroed once, and may serve one launch at a time.
size_t ConvolutionBatchNormLamportBytes();

// Returns the bytes of device memory for the `workspace` of Forward and Backward. It must be zeroed once, and may be
// shared with BatchNormStatistics and BatchNormBackwardReduce, under their rules.
size_t ConvolutionBatchNormWorkspaceBytes(uint32_t multiprocessors);

// Function that launches the kernel on its operands. Another one than LaunchConvolutionBatchNorm is for a benchmark,
// which measures inside of the kernel.
using ConvolutionBatchNormLauncher = cudaError_t (*)(const ConvolutionBatchNormLaunch& launch,
                                                     const CUtensorMap& weights, const ConvolutionInputMaps& inputs,
                                                     const ConvolutionBatchNormArguments& arguments,
                                                     cudaStream_t stream);

// One convolution in one configuration. Its functions return InvalidArgumentError unless ConvolutionBatchNormConfigs
// lists the configuration for the shape.
class ConvolutionBatchNorm {
 public:
  // `launcher`: null for LaunchConvolutionBatchNorm.
  ConvolutionBatchNorm(const ConvolutionShape& shape, const ConvolutionBatchNormConfig& config,
                       uint32_t multiprocessors, ConvolutionBatchNormLauncher launcher = nullptr)
      : shape_(shape), config_(config), multiprocessors_(multiprocessors), launcher_(launcher) {}

  const ConvolutionBatchNormConfig& config() const { return config_; }

  // Returns the same convolution with this overlap instead of none.
  ConvolutionBatchNorm WithOverlap(const ConvolutionOverlap& overlap) const {
    ConvolutionBatchNorm convolution = *this;
    convolution.overlap_ = overlap;
    return convolution;
  }

  // Writes y and `state`. x: (images, in_size, in_size, in_channels), w: (out_channels, filter, filter, in_channels),
  // y: (images, out_size, out_size, out_channels).
  absl::Status Forward(const __nv_bfloat16* x, const __nv_bfloat16* w, __nv_bfloat16* y,
                       const BatchNormParameters& parameters, const BatchNormState& state, void* workspace,
                       cudaStream_t stream) const;

  // Runs Forward, then computes y = relu(batch_norm(raw) + residual), with the mask for the backward pass
  // (BatchNormApply). InvalidArgument: ConvolutionBatchNormCanApply is false. ConvolutionBatchNormMayWait must be true:
  // otherwise the launch may end at the limit of wait_limit.h with an invalid result, which CheckWaits reports.
  absl::Status ForwardAndApply(const __nv_bfloat16* x, const __nv_bfloat16* w, __nv_bfloat16* raw,
                               const BatchNormParameters& parameters, const BatchNormState& state,
                               const BatchNormResidual<__nv_bfloat16>& residual, __nv_bfloat16* y, uint8_t* relu_mask,
                               void* lamport_buffer, cudaStream_t stream) const;

  // Batch norm whose output, after the ReLU, was the convolution's input. All tensors are (images, in_size, in_size,
  // in_channels).
  struct BatchNormOperands {
    const __nv_bfloat16* x = nullptr;       // input of the batch norm
    const __nv_bfloat16* addend = nullptr;  // added to the gradient of its output before the mask; null: no addend
    const uint8_t* relu_mask = nullptr;
    BatchNormState state;
    BatchNormGradients gradients;  // output
  };
  // 1x1 convolution with the same stride and the same input, for a stride of 2. Its gradient is added before the
  // gradient of the 3x3 convolution is rounded.
  struct Shortcut {
    const __nv_bfloat16* dy = nullptr;  // shape of Backward's dy; null: no shortcut
    const __nv_bfloat16* w = nullptr;   // (out_channels, in_channels)
  };
  // Writes g: (images, in_size, in_size, in_channels), which may be `addend`, and batch_norm.gradients. dy has the
  // shape of y.
  absl::Status Backward(const __nv_bfloat16* dy, const __nv_bfloat16* w, const Shortcut& shortcut,
                        const BatchNormOperands& batch_norm, __nv_bfloat16* g, void* workspace,
                        cudaStream_t stream) const;

  // Runs Backward, then computes the gradient of batch_norm.x (BatchNormBackwardApply): dx = on_g * g + on_x * x +
  // constant. g may be null; dx may be batch_norm.x. Preconditions and errors: see ForwardAndApply.
  absl::Status BackwardAndApply(const __nv_bfloat16* dy, const __nv_bfloat16* w, const Shortcut& shortcut,
                                const BatchNormOperands& batch_norm, __nv_bfloat16* g, __nv_bfloat16* dx,
                                void* lamport_buffer, cudaStream_t stream) const;

 private:
  ConvolutionShape shape_;
  ConvolutionBatchNormConfig config_;
  uint32_t multiprocessors_;
  ConvolutionBatchNormLauncher launcher_;
  ConvolutionOverlap overlap_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_H_
