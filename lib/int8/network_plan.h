// NetworkPlan: the order and the memory of a network's layers. It decides which additions are fused into a convolution,
// and which tensors share a place in memory because they are never needed together.
#ifndef LOCKSTEP_LIB_INT8_NETWORK_PLAN_H_
#define LOCKSTEP_LIB_INT8_NETWORK_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "lib/int8/network.h"

namespace lockstep {

// One layer, and the addition that is fused into it. Tensors are numbered as in LayerShape::inputs.
struct PlanStep {
  size_t layer;
  std::optional<size_t> add;  // layer of the fused addition
  uint32_t output;            // tensor that is written: the addition's, if there is one
};

struct NetworkPlan {
  std::vector<PlanStep> steps;
  std::vector<uint32_t> place;       // place of each tensor; 0 for a tensor that is never written
  std::vector<size_t> place_values;  // size in values of the largest tensor of each place, for one image
};

enum class Additions {
  kSeparate,  // each addition is a step
  kFused,  // an addition is fused into the later of the two convolutions that it reads, if nothing else reads that one
};

NetworkPlan MakeNetworkPlan(const std::vector<LayerShape>& layers, Additions additions);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_NETWORK_PLAN_H_
