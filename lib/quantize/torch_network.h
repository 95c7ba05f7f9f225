// Where plain numbers and LibTorch meet: checkpoints become plain networks, and plain networks run in LibTorch.
#ifndef LOCKSTEP_LIB_QUANTIZE_TORCH_NETWORK_H_
#define LOCKSTEP_LIB_QUANTIZE_TORCH_NETWORK_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/int8/network.h"

namespace lockstep {

// Reads a checkpoint (lib/nn/checkpoint.h) of lenet5 or lenet5_bias, whichever it is. NotFound: no such file. DataLoss:
// broken. FailedPrecondition: of neither network; says why for both.
absl::StatusOr<FloatNetwork> ReadCheckpoint(const std::string& path);

// LibTorch's forward pass on the CPU. `network` has the name, layers and sizes of a model of lib/nn.
// `images`: fp32 (n, 3, 32, 32), normalised. Returns logits, fp32 (n, classes).
absl::StatusOr<std::vector<float>> TorchLogits(const FloatNetwork& network, const std::vector<float>& images);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_QUANTIZE_TORCH_NETWORK_H_
