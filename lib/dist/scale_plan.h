// Which points a scaling run measures: arithmetic on the number of images, ranks and batch sizes. Knows nothing of LibTorch.
//
// For each batch and each number of ranks N in turn. One rank is measured twice, PLAIN and through the reducer
// (ALL_REDUCE), so that the reducer's own cost is seen; more ranks are measured as trained (ALL_REDUCE) and without
// their all-reduces (ABLATED). In mode DP ranks are the devices of one process; one is measured PLAIN and as a STAR.
#ifndef LOCKSTEP_LIB_DIST_SCALE_PLAN_H_
#define LOCKSTEP_LIB_DIST_SCALE_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

// The points of spec.ranks x spec.batch_size over `training_images` images, with what is known before the run filled in:
// ranks, batches, reduction, steps, images, padding.
//
// InvalidArgument: no ranks or batches, one that is 0 or given twice, a global batch that the ranks do not divide, or a
// batch larger than a rank's shard, which would be timed as something that it is not.
absl::StatusOr<std::vector<proto::ScalePoint>> PlanPoints(const proto::ScaleSpec& spec, uint64_t training_images);

// CPU threads of each rank when none are asked for: the cores shared by the largest number of ranks, at least 1. The same
// for every point, so that a rank more is a core more, as it is a GPU more elsewhere: a base case with all cores would be
// another machine.
uint32_t ThreadsPerRank(uint32_t cores, uint32_t max_ranks);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_SCALE_PLAN_H_
