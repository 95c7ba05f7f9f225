// A checkpoint as a plain network: numbers and shapes, no LibTorch. Batch norm is folded into the convolutions.
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
  proto::Input input;                                 // path, digest and size of the bytes that the network was made of
  std::optional<proto::Normalization> normalization;  // with which it was trained; empty: the file does not say
};

// Reads a checkpoint (lib/nn/checkpoint.h) of lenet5, lenet5_bias or resnet18, whichever it is; also one that Python's
// torch.save of a state_dict wrote. NotFound: no such file. DataLoss: broken. FailedPrecondition: of none of these
// networks; says why for each.
absl::StatusOr<CheckpointNetwork> ReadCheckpoint(const std::string& path);

// The network that `model` is in eval mode, on the CPU, fp32. A batch norm with gamma, beta, mean, variance and eps after
// a convolution of weights w makes it one of
//     w * gamma / sqrt(variance + eps)   and a bias   beta - mean * gamma / sqrt(variance + eps)
// in double, each rounded once to fp32. FailedPrecondition: `name` is no network that can be made int8.
absl::StatusOr<FloatNetwork> FromModel(const std::string& name, const Model& model);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_QUANTIZE_READ_CHECKPOINT_H_
