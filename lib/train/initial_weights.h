// Weights of a file from which a training starts (train_sweep --init).
#ifndef LOCKSTEP_LIB_TRAIN_INITIAL_WEIGHTS_H_
#define LOCKSTEP_LIB_TRAIN_INITIAL_WEIGHTS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/nn/model.h"
#include "lib/proto/header.pb.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

struct InitialWeights {
  proto::Input input;  // path, digest and size of the file
  // Description of what was read: "weights.pt: ['net']; float16 converted to float32".
  std::string remark;
  std::vector<std::string> warnings;
  bool normalization_assumed = false;  // neither the file nor a flag gives the normalization of the earlier training
};

enum class NormalizationFlag { kAbsent, kGiven };  // whether the user gave --normalization

// Fills `model`, the one of `training`, from the file at `path` (lib/nn/load_checkpoint.h). `training` must have its
// normalization: another one in the file gives a warning. So does a file without one, if `flag` is absent. Returns the
// errors of ReadCheckpointBytes and LoadCheckpointBytes; their messages name --init, and another model if the file fits
// that one.
absl::StatusOr<InitialWeights> ReadInitialWeights(const std::string& path, const proto::TrainingSpec& training,
                                                  NormalizationFlag flag, Model& model);

// Fills `model` as the order requires; does nothing if the order names no file. Returns FailedPreconditionError if the
// file has been replaced since the run began.
absl::Status LoadInitialWeights(const proto::PointOrder& order, Model& model);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_INITIAL_WEIGHTS_H_
