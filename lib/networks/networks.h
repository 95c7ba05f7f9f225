// Facts about the networks that --model names, for code that has no LibTorch. lib/nn/model.h makes the networks.
//
// A value of --model is one of:
// - a name, such as "resnet18";
// - a name with a size, such as "mlp:1024x3": three hidden layers of 1,024 values;
// - the path of a TorchScript module, which ends in ".pt": "net.pt".
#ifndef LOCKSTEP_LIB_NETWORKS_NETWORKS_H_
#define LOCKSTEP_LIB_NETWORKS_NETWORKS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

struct Network {
  absl::string_view name;          // value of --model without its size: "resnet18", "mlp"
  absl::string_view example_size;  // "1024x3" if a size must follow the name; empty otherwise
  absl::string_view title;         // "ResNet-18"
  bool has_batch_norm = false;
  bool ends_blocks_with_batch_norm = false;  // each residual block's last layer is a batch norm called bn2
  double learning_rate = 0;                  // default for SGD
  int64_t min_size = 1;                      // smallest height and width of an image in pixels
};

// Value of --model, split into its parts.
struct NetworkChoice {
  const Network* network;  // never null; of a file: defaults, with an empty name
  int64_t width = 0;       // values of a hidden layer; 0 without a size
  int64_t depth = 0;       // number of hidden layers; 0 without a size
};

// Returns all networks, in the order of networks.inc.
const std::vector<Network>& Networks();

// Returns true if a value of --model is the path of a file.
bool IsModelFile(absl::string_view model);

// Returns one value of --model for each network that has a name: "resnet18", "mlp:1024x3".
std::vector<std::string> ModelWords();

// Splits a value of --model; does not open a file. Returns InvalidArgumentError that names the flag and the networks if
// the name is unknown, if a size is missing or superfluous, or if the size is not WIDTHxDEPTH with 1 to 16,384 values
// and 1 to 100 layers.
absl::StatusOr<NetworkChoice> ParseModel(absl::string_view model);

// Returns true if `model` is a value of --model whose network is known to have batch norm. Other values, also files and
// those of records of later versions, return false.
bool HasBatchNorm(absl::string_view model);

// Returns the network's title: "ResNet-18", "MLP 1024x3"; the name of a file without its folders; an unknown value as
// it is.
std::string ModelTitle(absl::string_view model);

// Returns the default learning rate of SGD; 0.01 for an unknown value.
double DefaultLearningRate(absl::string_view model);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_NETWORKS_NETWORKS_H_
