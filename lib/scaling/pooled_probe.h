// All-reduces of one size that were timed alone, whichever points timed them. Each point of several ranks times the same
// ones: they belong to the ranks and not to the batch, and one point alone may have been disturbed.
#ifndef LOCKSTEP_LIB_SCALING_POOLED_PROBE_H_
#define LOCKSTEP_LIB_SCALING_POOLED_PROBE_H_

#include <cstdint>
#include <vector>

#include "lib/proto/quantity.pb.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

struct PooledProbe {
  uint64_t size_bytes = 0;
  proto::Samples seconds;  // of single operations, ascending; empty: no point of these ranks timed one
  uint32_t points = 0;     // that timed them
};

// Returns the probes of the points of so many ranks. Of several sizes the largest is taken. The order of the points changes
// nothing.
PooledProbe PoolProbes(const std::vector<const proto::ScalePoint*>& points, uint32_t ranks);

// Returns the bus bandwidth of the pool as nccl-tests defines it, S/t * 2(N-1)/N, where t is the median of all operations;
// low and high are made of the 90th and 10th percentile, by nearest rank. Absent where nothing was timed.
proto::Quantity BusBandwidthOf(const PooledProbe& probe, uint32_t ranks);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_POOLED_PROBE_H_
