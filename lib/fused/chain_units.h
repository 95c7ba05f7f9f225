// Chains of units: consecutive convolutions of equal shape with a stride of 1, which one launch can compute
// (convolution_chain.h).
#ifndef LOCKSTEP_LIB_FUSED_CHAIN_UNITS_H_
#define LOCKSTEP_LIB_FUSED_CHAIN_UNITS_H_

#include <cstddef>
#include <vector>

#include "lib/fused/resnet_units.h"

namespace lockstep {

// Returns the chains of a network, in its order, each as indices into `units`. A chain has 2 to `max_units` units; more
// consecutive units of equal shape are divided into chains of about equal length. Only the first unit of a chain may
// add the output of a shortcut. `max_units` must be at least 2.
std::vector<std::vector<size_t>> ChainsOfUnits(const ResNetUnits& net, size_t max_units);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_CHAIN_UNITS_H_
