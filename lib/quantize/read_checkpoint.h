// Conversion of a checkpoint to a plain network: numbers and shapes, no LibTorch. Batch norm is folded into the
// convolutions.
#ifndef LOCKSTEP_LIB_QUANTIZE_READ_CHECKPOINT_H_
#define LOCKSTEP_LIB_QUANTIZE_READ_CHECKPOINT_H_

#include <string>

#include "absl/status/statusor.h"
#include "lib/int8/network.h"
#include "lib/nn/load_checkpoint.h"
#include "lib/nn/model.h"
#include "lib/proto/header.pb.h"

namespace lockstep {

struct CheckpointNetwork {
  FloatNetwork network;
  proto::Input input;     // path, digest and size of the bytes that were read
  LoadedWeights weights;  // the normalization of the training, and how the file was read
};

// Reads weights (lib/nn/weights_file.h) of lenet5, lenet5_bias or resnet18; detects which of them it is. NotFound: no
// such file. DataLoss: broken. FailedPrecondition: another format, or none of these networks; gives the first
// difference from the nearest one.
absl::StatusOr<CheckpointNetwork> ReadCheckpoint(const std::string& path);

// Returns `model` in eval mode as a plain network, on the CPU, in fp32. A batch norm with gamma, beta, mean, variance
// and eps after a convolution of weights w is folded into weights and a bias:
//     w * gamma / sqrt(variance + eps)   and   beta - mean * gamma / sqrt(variance + eps)
// computed in double and rounded once to fp32. FailedPrecondition: `name` is not a network that can be quantized.
absl::StatusOr<FloatNetwork> FromModel(const std::string& name, const Model& model);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_QUANTIZE_READ_CHECKPOINT_H_
