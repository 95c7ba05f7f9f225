// What a unit does forward: a convolution and the batch norm behind it. There are three ways, of which a plan chooses
// one for each unit (resnet18_plan.h):
//
//   way        launches                                                                  types
//   apart      the convolution | the batch norm's statistics | what applies it           float, bf16
//   with sums  our convolution, which takes the statistics | what applies it             bf16
//   applied    our convolution, which applies the batch norm as well                     bf16
//
// They differ in what is queued before the residual is there: all launches but the last.
#ifndef LOCKSTEP_LIB_FUSED_UNIT_FORWARD_H_
#define LOCKSTEP_LIB_FUSED_UNIT_FORWARD_H_

#include <cuda_bf16.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lib/fused/step_lanes.h"
#include "lib/kernels/batch_norm.h"
#include "lib/kernels/convolution.h"
#include "lib/kernels/convolution_norm.h"

namespace lockstep {

// All pointers are of the device. T: float or __nv_bfloat16.
template <typename T>
struct ForwardOperands {
  absl::string_view norm_name;  // for messages
  const T* x = nullptr;         // (images, in_size, in_size, in_channels)
  const T* weights = nullptr;
  T* raw = nullptr;  // out: what the convolution gives, (images, out_size, out_size, out_channels)
  BatchNormParameters parameters;
  BatchNormState state;     // out
  void* meeting = nullptr;  // ConvolutionNormMeetingBytes
};

// Where the normalised and rectified output goes, and what is added before it is rectified.
template <typename T>
struct ForwardOutput {
  BatchNormResidual<T> residual;
  T* y = nullptr;  // as `raw`
  uint8_t* relu_mask = nullptr;
};

// Units of one shape share one. Both calls only launch, in this order, on one lane.
template <typename T>
class UnitForward {
 public:
  virtual ~UnitForward() = default;

  // In words, as records have it: which engine of cuDNN's, or how ours is cut, and what it does of the batch norm.
  virtual std::string name() const = 0;

  // What needs no residual. A shortcut's, which is not planned to be applied, has nothing else: it leaves raw and
  // state.
  virtual absl::Status BeforeResidual(const ForwardOperands<T>& operands, const Lane& lane) const = 0;

  // What is left.
  virtual absl::Status WithResidual(const ForwardOperands<T>& operands, const ForwardOutput<T>& output,
                                    const Lane& lane) const = 0;
};

// norm: the convolution's output.
template <typename T>
std::shared_ptr<const UnitForward<T>> MakeForwardApart(std::unique_ptr<const Convolution> convolution,
                                                       const BatchNormShape& norm, const BatchNormLaunch& launch);
std::shared_ptr<const UnitForward<__nv_bfloat16>> MakeForwardWithSums(const ConvolutionNorm& convolution,
                                                                      const BatchNormShape& norm);
std::shared_ptr<const UnitForward<__nv_bfloat16>> MakeForwardApplied(const ConvolutionNorm& convolution);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_UNIT_FORWARD_H_
