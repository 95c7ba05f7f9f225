// Search for the SM partition of the backward pass (lib/fused/sm_partition.h) that takes the least time.
#ifndef LOCKSTEP_BENCHMARKS_PARTITION_SEARCH_H_
#define LOCKSTEP_BENCHMARKS_PARTITION_SEARCH_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "lib/fused/sm_partition.h"

namespace lockstep {

// Partitions of one layer that differ from the present one by one move of SMs.
using LayerMoves = std::vector<LayerSms>;

// Returns for each of `layers` the partitions to which one move of `sms` SMs leads: between both chains, from
// SMs that nothing uses, or between a chain and the SGD that runs at the same time. All of them fit (CheckLayerSms).
std::vector<LayerMoves> MovesOfLayers(const std::vector<LayerSms>& layers, uint32_t batch, uint32_t sms);

// Returns median seconds of an epoch with these SMs.
using MeasurePartition = std::function<double(const std::vector<LayerSms>&)>;

// One round of the search. Measures `layers`, each move alone, and `layers` again. The best move of each layer that
// takes at least `min_gain` (a share) less time is combined with those of the other layers. The combination is measured
// twice by turns with `layers`, and returned if it took less time both times, else `layers`. So noise must win three
// times to be taken for a gain.
std::vector<LayerSms> ImprovePartition(const std::vector<LayerSms>& layers, uint32_t batch, uint32_t sms,
                                       double min_gain, const MeasurePartition& measure);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCHMARKS_PARTITION_SEARCH_H_
