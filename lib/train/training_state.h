// Where training stands after an epoch, on disk, so that a stopped run goes on from there (--resume). Knows nothing of LibTorch.
#ifndef LOCKSTEP_LIB_TRAIN_TRAINING_STATE_H_
#define LOCKSTEP_LIB_TRAIN_TRAINING_STATE_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/proto/header.pb.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

// Every number that the next epoch depends on, as bytes, by name: weights, running statistics, momentum. The data order and
// the augmentation are functions of (seed, epoch) and need no place here.
using TrainingArrays = std::map<std::string, std::string>;

// Where one rank stands, alone or with others.
struct TrainingState {
  proto::SweepPoint point;  // with the epochs that are complete
  std::string measured;     // what else was measured, in the words of who measured it
  TrainingArrays arrays;
};
using TrainingStates =
    std::vector<TrainingState>;  // by rank; behind the first, arrays that are as its own are left out

// Where one state is kept, and whose it is.
struct TrainingStateFile {
  std::string path;      // empty: nowhere
  proto::Header header;  // its cache key covers all that can change the result
  bool afresh = false;   // what a stopped run left is not used
};

// None: no file, or one of another run, which is said on stderr. DataLoss, FailedPrecondition: as RecordReader's, with
// what to remove.
absl::StatusOr<std::optional<TrainingStates>> ReadTrainingState(const TrainingStateFile& file);

// The state before stays until this one is whole on the disk. Errors as RecordWriter's, but Unavailable for a full disk, which
// is not the memory that a point runs out of.
absl::Status WriteTrainingState(const TrainingStateFile& file, TrainingStates states);

// States on their way from one rank to the others. DataLoss: these bytes hold none.
std::string PackStates(TrainingStates states);
absl::StatusOr<TrainingStates> UnpackStates(const std::string& bytes);

// Removes what WriteTrainingState left at this path.
void RemoveTrainingState(const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_TRAINING_STATE_H_
