// Conversion of a checkpoint to a plain network: numbers and shapes, no LibTorch. Batch norm is folded into the
// convolutions.
#ifndef LOCKSTEP_LIB_QUANTIZE_READ_CHECKPOINT_H_
#define LOCKSTEP_LIB_QUANTIZE_READ_CHECKPOINT_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "lib/int8/network.h"
#include "lib/nn/model.h"
#include "lib/proto/dataset.pb.h"
#include "lib/proto/header.pb.h"

namespace lockstep {

struct CheckpointNetwork {
  FloatNetwork network;
  proto::Input input;                                 // path, digest and size of the bytes that were read
  std::optional<proto::Normalization> normalization;  // normalization of its training; empty: the file does not contain
                                                      // it
};

// Reads a checkpoint (lib/nn/checkpoint.h) of lenet5, lenet5_bias or resnet18; detects which of them it is. Also reads
// files that Python's torch.save wrote from a state_dict. NotFound: no such file. DataLoss: broken. FailedPrecondition:
// none of these networks; gives the reason for each.
absl::StatusOr<CheckpointNetwork> ReadCheckpoint(const std::string& path);

// Returns `model` in eval mode as a plain network, on the CPU, in fp32. A batch norm with gamma, beta, mean, variance
// and eps after a convolution of weights w is folded into weights and a bias:
//     w * gamma / sqrt(variance + eps)   and   beta - mean * gamma / sqrt(variance + eps)
// computed in double and rounded once to fp32. FailedPrecondition: `name` is not a network that can be quantized.
absl::StatusOr<FloatNetwork> FromModel(const std::string& name, const Model& model);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_QUANTIZE_READ_CHECKPOINT_H_
