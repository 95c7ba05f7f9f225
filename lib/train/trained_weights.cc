#include "lib/train/trained_weights.h"

#include "absl/status/status.h"
#include "lib/base/status_macros.h"
#include "lib/nn/checkpoint.h"

namespace lockstep {

absl::StatusOr<proto::Checkpoint> WriteTrainedWeights(
    const TrainedWeights& weights, const Model& model,
    const google::protobuf::RepeatedPtrField<proto::EpochResult>& epochs) {
  absl::StatusOr<std::string> saved = SaveCheckpoint(model, weights.normalization, weights.path,
                                                     ReplaceIfForced(ToForce(weights.force), ReplaceCheckpoint()));
  if (absl::IsResourceExhausted(saved.status())) {
    return absl::UnavailableError(saved.status().message());
  }
  RETURN_IF_ERROR(saved.status());
  proto::Checkpoint checkpoint;
  checkpoint.set_path(weights.path);
  checkpoint.set_sha256(*std::move(saved));
  checkpoint.set_format(kCheckpointFormat);
  checkpoint.set_model(weights.model_name);
  checkpoint.set_batch_size(weights.batch_size);
  checkpoint.set_epochs(static_cast<uint32_t>(epochs.size()));
  checkpoint.set_test_accuracy(epochs.rbegin()->test_accuracy());
  return checkpoint;
}

}  // namespace lockstep
