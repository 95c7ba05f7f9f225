// Forward pass of several units in one launch (convolution_chain.h), instead of by the units' own UnitForward.
#ifndef LOCKSTEP_LIB_FUSED_FORWARD_CHAIN_H_
#define LOCKSTEP_LIB_FUSED_FORWARD_CHAIN_H_

#include <cuda_bf16.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/fused/step_streams.h"
#include "lib/fused/unit_forward.h"
#include "lib/kernels/convolution_chain.h"

namespace lockstep {

// Operands of one unit of a chain, and its output. T: float or __nv_bfloat16.
template <typename T>
struct ForwardLayer {
  ForwardOperands<T> operands;
  ForwardOutput<T> output;
};

template <typename T>
class ForwardChain {
 public:
  virtual ~ForwardChain() = default;

  // Describes the implementation for records.
  virtual std::string name() const = 0;

  // Queues all units. The residuals must be available. The input of each unit but the first must be the output of the
  // one before.
  virtual absl::Status Run(const std::vector<ForwardLayer<T>>& layers, const StepStream& stream) const = 0;
};

std::shared_ptr<const ForwardChain<__nv_bfloat16>> MakeForwardChain(const ConvolutionChain& chain);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_FORWARD_CHAIN_H_
