// Weights read into a network from any file of weights_file.h, or into the network among several that they fit.
#ifndef LOCKSTEP_LIB_NN_LOAD_CHECKPOINT_H_
#define LOCKSTEP_LIB_NN_LOAD_CHECKPOINT_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/nn/model.h"
#include "lib/proto/dataset.pb.h"
#include "lib/record/input_text.h"

namespace lockstep {

// Facts about weights that were read.
struct LoadedWeights {
  // Differences from a plain state_dict in fp32: "['net'], prefix 'module.'; float16 converted to float32".
  // Empty: no difference.
  std::string remark;
  // Choices that may be wrong: "several state_dicts fit ...". Empty: no such choice.
  std::vector<std::string> warnings;
  // Normalization of the training; nullopt: the file does not contain it.
  std::optional<proto::Normalization> normalization;
};

// Network that was found to fit a file, with its weights.
struct LoadedModel {
  std::string name;
  std::shared_ptr<Model> model;  // network on the CPU
  LoadedWeights weights;
};

// Reads the bytes of a checkpoint. Errors:
// - NotFound: no such file.
// - DataLoss: the file cannot be read, or is larger than kMaxCheckpointBytes.
// - FailedPrecondition: the file is a record.
// - Cancelled: a stop signal.
absl::StatusOr<InputText> ReadCheckpointBytes(const std::string& path);

// Fills a model on any device from a file of SaveCheckpoint, or from the part of another file of weights that fits it
// (fit_weights.h); if several parts fit, from the first one in the file. Floating-point numbers are converted to fp32.
// The model changes only if there is no error. Errors of one line that names the file:
// - DataLoss: the file is broken.
// - FailedPrecondition: the file is of another network or format; the message names the first difference.
absl::StatusOr<LoadedWeights> LoadCheckpointBytes(Model& model, const InputText& file);

// Does the same for the first network of `names`, which must be values of --model, that the file fits.
absl::StatusOr<LoadedModel> LoadFittingModel(const std::vector<std::string>& names, const InputText& file);

// Does the same as LoadCheckpointBytes for the file at `path`, with the errors of both steps.
absl::Status LoadCheckpoint(Model& model, const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_NN_LOAD_CHECKPOINT_H_
