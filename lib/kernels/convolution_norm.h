// A convolution in bf16, 3x3 or 1x1, together with the sums of the batch norm at its output:
// forward the statistics of what it gives, backward the gradients of the batch norm (and ReLU) whose output the
// convolution read. Written for Hopper, where it spares both a pass over the activations and a launch
// (convolution_norm.cu says how).
//
//   forward:   y = w * x;                                    state = statistics of y        (BatchNormStatistics)
//   backward:  g = mask * (w^T * dy + addend);               gradients = sums of g and x    (BatchNormBackwardReduce)
//
// With few images the same launch applies the batch norm, too, backward to its input's gradient: its blocks keep their
// tiles and wait for each other's sums.
//
// Plain twins: convolution.h followed by batch_norm.h. Layouts as there: activations NHWC, weights KRSC, all in bf16.
// Sums are in fp32, in an order that depends on shape, config and GPU alone: the same input gives the same bits on
// every run.
#ifndef LOCKSTEP_LIB_KERNELS_CONVOLUTION_NORM_H_
#define LOCKSTEP_LIB_KERNELS_CONVOLUTION_NORM_H_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/kernels/batch_norm.h"
#include "lib/kernels/convolution_shape.h"

namespace lockstep {

// How the work is cut: pixels of a tile, 64, 128 or 256; blocks that share a tile's depth, 1, 2, 4 or 8, with 256
// only 1.
struct ConvolutionNormConfig {
  uint32_t pixels = 256;
  uint32_t splits = 1;
};

// "tiles of 128 pixels, 2 splits".
std::string DescribeConvolutionNorm(const ConvolutionNormConfig& config);

// What there is to choose from for a convolution on a GPU of this many multiprocessors, the likeliest first; none if
// the shape is not covered: a filter of 3, forward also of 1, and a stride of 1 or 2; channels in multiples of 64, or
// for a filter of 1 fewer of the input in multiples of 8; images of the output of 4, 8, 16 or 32.
std::vector<ConvolutionNormConfig> ConvolutionNormConfigs(const ConvolutionShape& shape, ConvolutionPass pass,
                                                          uint32_t multiprocessors);

// Whether the launch can also apply the batch norm, where all its blocks run at once: it has no more than there are
// multiprocessors, and none has more than it can keep. Its blocks wait for each other, so two such launches must not run
// at the same time on a device.
bool ConvolutionNormCanApply(const ConvolutionShape& shape, ConvolutionPass pass, const ConvolutionNormConfig& config,
                             uint32_t multiprocessors);

// Whether all blocks of a launch that applies the batch norm do run at once on the current device: the context holds as
// many clusters (GPUs of one kind differ in that), no other process takes places (BlocksMayWaitForEachOther), and
// whatever of this process runs beside ends by itself. Internal: CUDA does not say.
absl::StatusOr<bool> ConvolutionNormMayWait(const ConvolutionShape& shape, ConvolutionPass pass,
                                            const ConvolutionNormConfig& config, uint32_t multiprocessors);

// Bytes of device memory where the blocks of a launch that applies a batch norm meet. It is zeroed once, and serves one
// such launch at a time.
size_t ConvolutionNormMeetingBytes();

// Bytes of device memory for the `workspace` of Forward and Backward. It is zeroed once, and may be shared with
// BatchNormStatistics and BatchNormBackwardReduce, under their rules.
size_t ConvolutionNormWorkspaceBytes(uint32_t multiprocessors);

// One convolution, cut in one way. InvalidArgument: a shape or config that ConvolutionNormConfigs does not give.
class ConvolutionNorm {
 public:
  ConvolutionNorm(const ConvolutionShape& shape, const ConvolutionNormConfig& config, uint32_t multiprocessors)
      : shape_(shape), config_(config), multiprocessors_(multiprocessors) {}

  const ConvolutionNormConfig& config() const { return config_; }

  // x: (images, size, size, in_channels), w: (out_channels, 3, 3, in_channels), y: (images, size, size, out_channels).
  absl::Status Forward(const __nv_bfloat16* x, const __nv_bfloat16* w, __nv_bfloat16* y,
                       const BatchNormParameters& parameters, const BatchNormState& state, void* workspace,
                       cudaStream_t stream) const;

  // As Forward, and then y = relu(norm(raw) + residual), with the mask for the way back (BatchNormApply).
  // InvalidArgument: ConvolutionNormCanApply says no. Only where ConvolutionNormMayWait: else it ends past the limit of
  // wait_limit.h, its result worth nothing, and CheckWaits says so.
  absl::Status ForwardAndApply(const __nv_bfloat16* x, const __nv_bfloat16* w, __nv_bfloat16* raw,
                               const BatchNormParameters& parameters, const BatchNormState& state,
                               const BatchNormResidual<__nv_bfloat16>& residual, __nv_bfloat16* y, uint8_t* relu_mask,
                               void* meeting, cudaStream_t stream) const;

  // The batch norm whose output, rectified, was the convolution's input. All of (images, size, size, in_channels).
  struct Norm {
    const __nv_bfloat16* x = nullptr;       // its input
    const __nv_bfloat16* addend = nullptr;  // to the gradient of its output, before the mask; null: none
    const uint8_t* relu_mask = nullptr;
    BatchNormState state;
    BatchNormGradients gradients;  // out
  };
  // With a stride of 2: a convolution of 1x1 with the same stride that read the same, whose gradient is added before
  // that of the 3x3 is rounded.
  struct Shortcut {
    const __nv_bfloat16* dy = nullptr;  // as the other; null: there is none
    const __nv_bfloat16* w = nullptr;   // (out_channels, in_channels)
  };
  // dy: as y. g: (images, size, size, in_channels); may be `addend`.
  absl::Status Backward(const __nv_bfloat16* dy, const __nv_bfloat16* w, const Shortcut& shortcut, const Norm& norm,
                        __nv_bfloat16* g, void* workspace, cudaStream_t stream) const;

  // As Backward, and then the gradient of norm.x (BatchNormBackwardApply): dx = on_g * g + on_x * x + constant. g: null
  // where nobody wants it; dx may be norm.x. InvalidArgument: ConvolutionNormCanApply says no.
  absl::Status BackwardAndApply(const __nv_bfloat16* dy, const __nv_bfloat16* w, const Shortcut& shortcut,
                                const Norm& norm, __nv_bfloat16* g, __nv_bfloat16* dx, void* meeting,
                                cudaStream_t stream) const;

 private:
  ConvolutionShape shape_;
  ConvolutionNormConfig config_;
  uint32_t multiprocessors_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_NORM_H_
