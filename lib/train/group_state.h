// The state of a training by several ranks (training_state.h): gathered on rank 0, which keeps it, and handed out again.
//
// What all ranks hold alike, as weights and momentum, travels and is kept once. Running statistics of batch norm are each
// rank's own. Nobody has to say which is which: the ranks compare digests.
#ifndef LOCKSTEP_LIB_TRAIN_GROUP_STATE_H_
#define LOCKSTEP_LIB_TRAIN_GROUP_STATE_H_

#include <optional>

#include "absl/status/statusor.h"
#include "lib/train/rank_group.h"
#include "lib/train/training_state.h"

namespace lockstep {

// Called by all ranks, each with its own state; `group` null: there is one rank. On rank 0 the states of all; elsewhere
// they are of no use. Aborted: a rank holds more of its own than running statistics can be. Others are the group's.
absl::StatusOr<TrainingStates> GatherStates(RankGroup* group, TrainingState own);

// The other way round: each rank's own state, complete, out of those that rank 0 has read. None, on all ranks, when it has
// none. FailedPrecondition: they are of another number of ranks.
absl::StatusOr<std::optional<TrainingState>> HandOutStates(RankGroup* group, std::optional<TrainingStates> read);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_GROUP_STATE_H_
