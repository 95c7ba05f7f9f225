// Pool of the all-reduces of one size that were timed alone, over all points. Each point of several ranks times the
// same all-reduces: they depend on the ranks and not on the batch, and the times of a single point may have been
// disturbed.
#ifndef LOCKSTEP_LIB_SCALING_POOLED_PROBE_H_
#define LOCKSTEP_LIB_SCALING_POOLED_PROBE_H_

#include <cstdint>
#include <vector>

#include "lib/proto/quantity.pb.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

struct PooledProbe {
  uint64_t size_bytes = 0;
  proto::Samples seconds;  // single operations, ascending; empty: no point of these ranks timed one
  uint32_t points = 0;     // number of points that timed them
};

// Returns the probes of the points with `ranks` ranks. If there are several sizes, the largest is used. The result does
// not depend on the order of the points.
PooledProbe PoolProbes(const std::vector<const proto::ScalePoint*>& points, uint32_t ranks);

// Returns the bus bandwidth of the pool as nccl-tests defines it, S/t * 2(N-1)/N, where t is the median of all
// operations. `low` and `high` are computed from the 90th and 10th percentile, by nearest rank. Absent if there are no
// times.
proto::Quantity BusBandwidthOf(const PooledProbe& probe, uint32_t ranks);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_POOLED_PROBE_H_
