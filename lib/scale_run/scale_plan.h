// Points that a scaling run measures, computed from the numbers of images, ranks and batch sizes. Does not depend on
// LibTorch.
//
// The points are planned for each batch and each number of ranks N:
// - One rank is measured twice, PLAIN and through the reducer (ALL_REDUCE), to show the reducer's own cost.
// - More ranks are measured as trained (ALL_REDUCE) and without their all-reduces (ABLATED).
// - In mode DP, ranks are the devices of one process; each number is measured as a STAR, and one device also PLAIN.
#ifndef LOCKSTEP_LIB_SCALE_RUN_SCALE_PLAN_H_
#define LOCKSTEP_LIB_SCALE_RUN_SCALE_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

// Returns the points of spec.ranks x spec.batch_size over `training_images` images, with the values that are known
// before the run: ranks, batches, reduction, steps, images, padding. InvalidArgument: no ranks or batches; one that is
// 0 or given twice; a global batch that is not a multiple of the ranks; or a batch larger than a rank's shard, whose
// times would be those of a smaller batch.
absl::StatusOr<std::vector<proto::ScalePoint>> PlanPoints(const proto::ScaleSpec& spec, uint64_t training_images);

// Returns the default number of CPU threads of each rank: the cores divided by the largest number of ranks, at least 1.
// The number is the same for every point, so that each added rank adds cores, like it adds a GPU on other machines. A
// base case with all cores would be a different machine.
uint32_t ThreadsPerRank(uint32_t cores, uint32_t max_ranks);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALE_RUN_SCALE_PLAN_H_
