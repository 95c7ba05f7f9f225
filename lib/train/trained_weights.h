// The checkpoint that a trained point leaves, and what its record says of it.
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
  bool force = false;                  // replaces whatever is at `path`; else a checkpoint at most
  proto::Normalization normalization;  // complete
};

// Writes the model, trained through `epochs`, of which the last was evaluated. Errors as SaveCheckpoint's, but Unavailable
// for a full disk, which is not the memory that a point runs out of.
absl::StatusOr<proto::Checkpoint> WriteTrainedWeights(
    const TrainedWeights& weights, const Model& model,
    const google::protobuf::RepeatedPtrField<proto::EpochResult>& epochs);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_TRAINED_WEIGHTS_H_
