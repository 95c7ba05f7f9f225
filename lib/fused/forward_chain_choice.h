// Choice between one launch for several units and a launch or more for each of them.
#ifndef LOCKSTEP_LIB_FUSED_FORWARD_CHAIN_CHOICE_H_
#define LOCKSTEP_LIB_FUSED_FORWARD_CHAIN_CHOICE_H_

#include <cuda_bf16.h>

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "lib/fused/step_streams.h"
#include "lib/fused/unit_forward.h"
#include "lib/kernels/convolution_batch_norm.h"
#include "lib/kernels/convolution_shape.h"

namespace lockstep {

struct ForwardChainQuestion {
  ConvolutionShape shape;                             // shape of each unit
  uint32_t units = 0;                                 // number of units, at least 2
  uint32_t multiprocessors = 0;                       // SMs that the launch may take
  ConvolutionOverlap overlap;                         // overlap of the launch
  bool autotune = true;                               // false: takes `applied`, untimed, if a chain can have it
  const UnitForward<__nv_bfloat16>* apart = nullptr;  // implementation of each unit outside of a chain
  std::optional<ConvolutionBatchNormConfig> applied;  // its configuration, if its launch applies the batch norm
};

// Returns the configuration of the chain, or nullopt if the units are faster one by one or cannot form a chain. Times
// both on tensors of the units' size, which it allocates and frees, on `stream`, which must have its workspaces.
// Returns CUDA's errors.
absl::StatusOr<std::optional<ConvolutionBatchNormConfig>> ChooseForwardChain(const ForwardChainQuestion& question,
                                                                             const StepStream& stream);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_FORWARD_CHAIN_CHOICE_H_
