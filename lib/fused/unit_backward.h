// What a unit does backward from the gradient of its convolution's output: to the gradient of its input, and to that of
// its weights. A plan chooses one way of each for each unit (resnet18_plan.h).
//
// The input of a unit is the rectified output of the batch norm below. How far a data gradient goes into that one is
// what its ways differ in:
//
//   way        launches                                                                     types
//   apart      the convolution                                                              float, bf16
//   with sums  our convolution, which masks, adds what comes on another way, and takes      bf16
//              the sums of the batch norm below
//   applied    our convolution, which goes on to the gradient of that batch norm's input    bf16
//
// Weight gradients are by convolution.h, or in bf16 by our kernel (weight_gradient.h).
#ifndef LOCKSTEP_LIB_FUSED_UNIT_BACKWARD_H_
#define LOCKSTEP_LIB_FUSED_UNIT_BACKWARD_H_

#include <cuda_bf16.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/fused/step_lanes.h"
#include "lib/kernels/batch_norm.h"
#include "lib/kernels/convolution.h"
#include "lib/kernels/convolution_norm.h"
#include "lib/kernels/weight_gradient.h"

namespace lockstep {

// How far the backward pass of a batch norm has come.
enum class NormBackward {
  kUntouched,  // the gradient of its output is there, in one or two addends, not yet masked
  kSummed,     // the gradient is one addend, masked already, and the sums over it are taken
  kApplied,    // the gradient of the batch norm's input is there, too
};

// What reaches a batch norm from above: the gradient of its output.
template <typename T>
struct Upstream {
  BatchNormUpstream<T> gradient;
  NormBackward progress = NormBackward::kUntouched;
};

// All pointers are of the device. T: float or __nv_bfloat16.
template <typename T>
struct DataGradientOperands {
  const T* dy = nullptr;  // (images, out_size, out_size, out_channels)
  const T* weights = nullptr;
  T* dx = nullptr;         // out, (images, in_size, in_size, in_channels), as the batch norm's below
  bool dx_is_read = true;  // false: by nobody, where the batch norm below is applied as well

  // The batch norm below.
  T* norm_x = nullptr;        // its input, and where it is applied the gradient of that
  const T* addend = nullptr;  // what reaches its output on another way; null: nothing
  const uint8_t* relu_mask = nullptr;
  BatchNormState state;
  BatchNormGradients gradients;  // out

  // A shortcut that read the same input: its gradient is taken in the same launch, instead of the addend, by all ways
  // but `apart`, which wants it in the addend.
  const T* shortcut_dy = nullptr;  // null: there is none
  const T* shortcut_weights = nullptr;

  void* meeting = nullptr;  // ConvolutionNormMeetingBytes
};

// Units of one shape share one.
template <typename T>
class UnitDataGradient {
 public:
  virtual ~UnitDataGradient() = default;

  virtual std::string name() const = 0;  // as UnitForward's

  // How far Run brings the batch norm below.
  virtual NormBackward gives() const = 0;

  // Only launches, on the lane. Gives what is upstream of the batch norm below.
  virtual absl::StatusOr<Upstream<T>> Run(const DataGradientOperands<T>& operands, const Lane& lane) const = 0;
};

template <typename T>
class UnitWeightGradient {
 public:
  virtual ~UnitWeightGradient() = default;

  virtual std::string name() const = 0;  // as UnitForward's

  // dw = the gradient of the weights, from dy as above and x: (images, in_size, in_size, in_channels). Only launches.
  virtual absl::Status Run(const T* dy, const T* x, T* dw, const Lane& lane) const = 0;

  // Ours where it has parts to add up, which can be launched apart; null: there is nothing to launch apart.
  virtual const WeightGradient* in_parts() const { return nullptr; }
};

template <typename T>
std::shared_ptr<const UnitDataGradient<T>> MakeDataGradientApart(std::unique_ptr<const Convolution> convolution);
std::shared_ptr<const UnitDataGradient<__nv_bfloat16>> MakeDataGradientWithSums(const ConvolutionNorm& convolution);
std::shared_ptr<const UnitDataGradient<__nv_bfloat16>> MakeDataGradientApplied(const ConvolutionNorm& convolution);

template <typename T>
std::shared_ptr<const UnitWeightGradient<T>> MakeWeightGradient(std::unique_ptr<const Convolution> convolution);
std::shared_ptr<const UnitWeightGradient<__nv_bfloat16>> MakeOwnWeightGradient(const WeightGradient& gradient);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_UNIT_BACKWARD_H_
