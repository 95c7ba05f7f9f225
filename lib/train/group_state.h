// Training state of several ranks (training_state.h): gathered on rank 0, which stores it, and distributed again.
//
// Arrays that all ranks have in common, such as weights and momentum, are sent and stored once. Each rank has running
// statistics of its own. The ranks compare digests to find the arrays that differ, so no list of names is needed.
#ifndef LOCKSTEP_LIB_TRAIN_GROUP_STATE_H_
#define LOCKSTEP_LIB_TRAIN_GROUP_STATE_H_

#include <optional>

#include "absl/status/statusor.h"
#include "lib/train/rank_group.h"
#include "lib/train/training_state.h"

namespace lockstep {

// Returns the states of all ranks on rank 0; the result on other ranks must not be used. Every rank must call it with
// its own state. A null `group` means a single rank. Returns AbortedError if a rank's own arrays are larger than
// running statistics can be. Other errors are the group's.
absl::StatusOr<TrainingStates> GatherStates(RankGroup* group, TrainingState own);

// Reverses GatherStates: returns each rank's complete state, from the states that rank 0 has read. Returns nullopt on
// all ranks if rank 0 has none. Returns FailedPreconditionError if the states belong to another number of ranks.
absl::StatusOr<std::optional<TrainingState>> HandOutStates(RankGroup* group, std::optional<TrainingStates> read);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_GROUP_STATE_H_
