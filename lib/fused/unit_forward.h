// Forward pass of a unit: a convolution and the batch norm after it. A plan chooses one of three implementations for
// each unit (resnet_plan.h):
//
//   name       launches                                                                  types
//   apart      the convolution | the batch norm's statistics | its application           float, bf16
//   with sums  our convolution, which also computes the statistics | the application     bf16
//   applied    our convolution, which also applies the batch norm                        bf16
//
// They differ in what is queued before the residual is available: all launches except the last.
#ifndef LOCKSTEP_LIB_FUSED_UNIT_FORWARD_H_
#define LOCKSTEP_LIB_FUSED_UNIT_FORWARD_H_

#include <cuda_bf16.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lib/fused/step_streams.h"
#include "lib/kernels/batch_norm.h"
#include "lib/kernels/convolution.h"
#include "lib/kernels/convolution_batch_norm.h"

namespace lockstep {

// All pointers are device pointers. T: float or __nv_bfloat16.
template <typename T>
struct ForwardOperands {
  absl::string_view batch_norm_name;  // name for error messages
  const T* x = nullptr;               // (images, in_size, in_size, in_channels)
  const T* weights = nullptr;
  T* raw = nullptr;  // out: output of the convolution, (images, out_size, out_size, out_channels)
  BatchNormParameters parameters;
  BatchNormState state;            // out
  void* lamport_buffer = nullptr;  // ConvolutionBatchNormLamportBytes() bytes
};

// Normalised and rectified output, and the residual that is added before the ReLU.
template <typename T>
struct ForwardOutput {
  BatchNormResidual<T> residual;
  T* y = nullptr;  // shape of `raw`
  uint8_t* relu_mask = nullptr;
};

// Shared by all units of one shape. All calls only launch. A training step calls BeforeResidual and then WithResidual,
// on one stream; an evaluation calls Convolve.
template <typename T>
class UnitForward {
 public:
  virtual ~UnitForward() = default;

  // Describes the implementation for records: the cuDNN engine, or the configuration of our kernel, and its part of the
  // batch norm.
  virtual std::string name() const = 0;

  // Queues the launches that need no residual. A shortcut must not be planned as `applied` and needs only this call: it
  // leaves `raw` and `state`.
  virtual absl::Status BeforeResidual(const ForwardOperands<T>& operands, const StepStream& stream) const = 0;

  // Queues the remaining launches.
  virtual absl::Status WithResidual(const ForwardOperands<T>& operands, const ForwardOutput<T>& output,
                                    const StepStream& stream) const = 0;

  // Queues the convolution alone, which leaves `raw`. It may also write `state` and move the running statistics of
  // `parameters`, so both must be memory whose contents are not needed.
  virtual absl::Status Convolve(const ForwardOperands<T>& operands, const StepStream& stream) const = 0;
};

// `batch_norm`: shape of the convolution's output.
template <typename T>
std::shared_ptr<const UnitForward<T>> MakeForwardApart(std::unique_ptr<const Convolution> convolution,
                                                       const BatchNormShape& batch_norm, const BatchNormLaunch& launch);
std::shared_ptr<const UnitForward<__nv_bfloat16>> MakeForwardWithSums(const ConvolutionBatchNorm& convolution,
                                                                      const BatchNormShape& batch_norm);
std::shared_ptr<const UnitForward<__nv_bfloat16>> MakeForwardApplied(const ConvolutionBatchNorm& convolution);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_UNIT_FORWARD_H_
