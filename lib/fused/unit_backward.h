// Backward pass of a unit: from the gradient of its convolution's output to the gradients of its input and of its
// weights. A plan chooses one implementation of each for every unit (resnet_plan.h).
//
// The input of a unit is the rectified output of the batch norm below. The implementations of a data gradient differ in
// how far they go into that batch norm:
//
//   name       launches                                                                     types
//   apart      the convolution                                                              float, bf16
//   with sums  our convolution, which also masks, adds the other addend, and computes       bf16
//              the sums of the batch norm below
//   applied    our convolution, which also computes the batch norm's input gradient         bf16
//
// Weight gradients are computed by convolution.h or, in bf16, by our kernel (weight_gradient.h).
#ifndef LOCKSTEP_LIB_FUSED_UNIT_BACKWARD_H_
#define LOCKSTEP_LIB_FUSED_UNIT_BACKWARD_H_

#include <cuda_bf16.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/fused/step_streams.h"
#include "lib/kernels/batch_norm.h"
#include "lib/kernels/convolution.h"
#include "lib/kernels/convolution_batch_norm.h"
#include "lib/kernels/weight_gradient.h"

namespace lockstep {

// Progress of the backward pass of a batch norm.
enum class BatchNormBackward {
  kUntouched,  // gradient of its output available, in one or two addends, not yet masked
  kSummed,     // gradient is one addend, already masked, and its sums are computed
  kApplied,    // gradient of the batch norm's input is available, too
};

// Gradient of a batch norm's output, which reaches the batch norm from above.
template <typename T>
struct Upstream {
  BatchNormUpstream<T> gradient;
  BatchNormBackward progress = BatchNormBackward::kUntouched;
};

// All pointers are device pointers. T: float or __nv_bfloat16.
template <typename T>
struct DataGradientOperands {
  const T* dy = nullptr;  // (images, out_size, out_size, out_channels)
  const T* weights = nullptr;
  T* dx = nullptr;         // out, (images, in_size, in_size, in_channels), like the output of the batch norm below
  bool dx_is_read = true;  // false: nobody reads dx if the batch norm below is applied, too

  // Batch norm below.
  T* batch_norm_x = nullptr;  // its input; replaced by its gradient if the batch norm is applied
  const T* addend = nullptr;  // other addend of the gradient of its output; null: none
  const uint8_t* relu_mask = nullptr;
  BatchNormState state;
  BatchNormGradients gradients;  // out

  // Shortcut that read the same input. All implementations except `apart` compute its gradient in the same launch and
  // ignore `addend`; `apart` expects it in `addend`.
  const T* shortcut_dy = nullptr;  // null: no shortcut
  const T* shortcut_weights = nullptr;

  void* lamport_buffer = nullptr;  // ConvolutionBatchNormLamportBytes() bytes
};

// Data gradient of a unit; shared by all units of one shape.
template <typename T>
class UnitDataGradient {
 public:
  virtual ~UnitDataGradient() = default;

  virtual std::string name() const = 0;  // description, as in UnitForward

  // Returns the progress of the batch norm below after Run.
  virtual BatchNormBackward gives() const = 0;

  // Queues launches only, on the stream of `stream`. Returns the gradient that reaches the batch norm below.
  virtual absl::StatusOr<Upstream<T>> Run(const DataGradientOperands<T>& operands, const StepStream& stream) const = 0;
};

template <typename T>
class UnitWeightGradient {
 public:
  virtual ~UnitWeightGradient() = default;

  virtual std::string name() const = 0;  // description, as in UnitForward

  // Computes dw, the gradient of the weights, from dy as above and x: (images, in_size, in_size, in_channels). Queues
  // launches only.
  virtual absl::Status Run(const T* dy, const T* x, T* dw, const StepStream& stream) const = 0;

  // Returns our weight gradient if it has split-K partials, whose sum can be launched separately; else null.
  virtual const WeightGradient* split_k() const { return nullptr; }
};

template <typename T>
std::shared_ptr<const UnitDataGradient<T>> MakeDataGradientApart(std::unique_ptr<const Convolution> convolution);
std::shared_ptr<const UnitDataGradient<__nv_bfloat16>> MakeDataGradientWithSums(
    const ConvolutionBatchNorm& convolution);
std::shared_ptr<const UnitDataGradient<__nv_bfloat16>> MakeDataGradientApplied(const ConvolutionBatchNorm& convolution);

template <typename T>
std::shared_ptr<const UnitWeightGradient<T>> MakeWeightGradient(std::unique_ptr<const Convolution> convolution);
std::shared_ptr<const UnitWeightGradient<__nv_bfloat16>> MakeOwnWeightGradient(const WeightGradient& gradient);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_UNIT_BACKWARD_H_
