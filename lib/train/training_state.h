// Training state after an epoch, on disk, from which a stopped run resumes (--resume). Does not depend on LibTorch.
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

// Values that the next epoch depends on, as bytes by name: weights, running statistics, momentum. Data order and
// augmentation are functions of (seed, epoch) and are not stored.
using TrainingArrays = std::map<std::string, std::string>;

// State of one rank, alone or in a group.
struct TrainingState {
  proto::SweepPoint point;  // includes the complete epochs
  std::string measured;     // additional measurements, in the caller's format
  TrainingArrays arrays;
};
using TrainingStates =
    std::vector<TrainingState>;  // states by rank; ranks after the first omit arrays that equal rank 0's

// File of a training state, and the run that it belongs to.
struct TrainingStateFile {
  std::string path;      // empty: no state is kept
  proto::Header header;  // its cache key must cover everything that can change the result
  bool afresh = false;   // ignore the state that a stopped run left
};

// Returns the states, or nullopt if there is no file, or if it belongs to another run, which is logged on stderr.
// Returns DataLossError and FailedPreconditionError like RecordReader, with the file to remove.
absl::StatusOr<std::optional<TrainingStates>> ReadTrainingState(const TrainingStateFile& file);

// Writes the states. The previous file stays until the new one is complete on disk. Returns the errors of RecordWriter,
// except that a full disk is UnavailableError: ResourceExhausted is for memory that a point runs out of.
absl::Status WriteTrainingState(const TrainingStateFile& file, TrainingStates states);

// Serialization of states that one rank sends to the others. UnpackStates returns DataLossError if the bytes hold no
// states.
std::string PackStates(TrainingStates states);
absl::StatusOr<TrainingStates> UnpackStates(const std::string& bytes);

// Removes what WriteTrainingState left at this path.
void RemoveTrainingState(const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_TRAINING_STATE_H_
