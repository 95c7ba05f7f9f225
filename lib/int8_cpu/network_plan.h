// In which order, and in which memory, a network's layers are done: which additions a convolution ends with, and which
// tensors share a place because they are never needed together.
#ifndef LOCKSTEP_LIB_INT8_CPU_NETWORK_PLAN_H_
#define LOCKSTEP_LIB_INT8_CPU_NETWORK_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "lib/int8/network.h"

namespace lockstep {

// One layer, and the addition that is done in it. Tensors are numbered as LayerShape::inputs says.
struct PlanStep {
  size_t layer;
  std::optional<size_t> add;  // the layer that is the addition
  uint32_t output;            // the tensor that is written: the addition's, where there is one
};

struct NetworkPlan {
  std::vector<PlanStep> steps;
  std::vector<uint32_t> place;       // of each tensor; of one that is never written 0
  std::vector<size_t> place_values;  // the largest tensor of each place, of one image
};

// `fuse`: an addition is done by the later of the two convolutions that it reads, if nothing else reads that one.
NetworkPlan MakeNetworkPlan(const std::vector<LayerShape>& layers, bool fuse);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CPU_NETWORK_PLAN_H_
