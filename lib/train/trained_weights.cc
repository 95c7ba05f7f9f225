#include "lib/train/trained_weights.h"

#include "absl/status/status.h"
#include "lib/base/status_macros.h"
#include "lib/nn/checkpoint.h"
#include "lib/record/digest.h"

namespace lockstep {

absl::StatusOr<proto::Checkpoint> WriteTrainedWeights(
    const TrainedWeights& weights, const Model& model,
    const google::protobuf::RepeatedPtrField<proto::EpochResult>& epochs) {
  const absl::Status saved = SaveCheckpoint(model, weights.path, ReplaceIfForced(weights.force, ReplaceCheckpoint()));
  if (absl::IsResourceExhausted(saved)) {
    return absl::UnavailableError(saved.message());
  }
  RETURN_IF_ERROR(saved);
  proto::Checkpoint checkpoint;
  checkpoint.set_path(weights.path);
  ASSIGN_OR_RETURN(*checkpoint.mutable_sha256(), Sha256HexOfFile(weights.path));
  checkpoint.set_format(kCheckpointFormat);
  checkpoint.set_model(weights.model_name);
  checkpoint.set_batch_size(weights.batch_size);
  checkpoint.set_epochs(static_cast<uint32_t>(epochs.size()));
  checkpoint.set_test_accuracy(epochs.rbegin()->test_accuracy());
  return checkpoint;
}

}  // namespace lockstep
