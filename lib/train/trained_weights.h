// Checkpoint of a trained point, and its entry in the record.
#ifndef LOCKSTEP_LIB_TRAIN_TRAINED_WEIGHTS_H_
#define LOCKSTEP_LIB_TRAIN_TRAINED_WEIGHTS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "google/protobuf/repeated_field.h"
#include "lib/nn/model.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

struct TrainedWeights {
  std::string path;
  std::string model_name;
  uint32_t batch_size = 0;
  bool force = false;                  // replaces any file at `path`; if false, only a checkpoint
  proto::Normalization normalization;  // must be complete
};

// Writes the model, trained through `epochs`; the last of these must have been evaluated. Returns the errors of
// SaveCheckpoint, except that a full disk is UnavailableError: ResourceExhausted is for memory that a point runs out
// of.
absl::StatusOr<proto::Checkpoint> WriteTrainedWeights(
    const TrainedWeights& weights, const Model& model,
    const google::protobuf::RepeatedPtrField<proto::EpochResult>& epochs);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_TRAINED_WEIGHTS_H_
