// Comparison of the state dicts in a file with the tensors of a network.
//
// A part of a state dict fits a network if all its names begin with the same prefix ("", "module.", "model.net."), and
// the rest of the names, the shapes and the kinds of the numbers are those of the network. Differences that do not
// matter:
// - the order of the tensors;
// - torchvision's names for ResNet-18: downsample.0 for shortcut.0, fc for linear;
// - missing num_batches_tracked, which PyTorch before 0.4.1 did not save and which nothing here reads;
// - the precision of floating-point numbers.
#ifndef LOCKSTEP_LIB_NN_FIT_WEIGHTS_H_
#define LOCKSTEP_LIB_NN_FIT_WEIGHTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/nn/state_dict.h"

namespace lockstep {

// Tensor of a network.
struct NetworkTensor {
  std::string name;
  std::vector<int64_t> sizes;
  bool is_counter = false;  // num_batches_tracked, an integer; false: floating point
};

// Part of a file that fits a network.
struct WeightsFit {
  const StateDict* state_dict = nullptr;
  std::string prefix;                       // prefix of the names: "module."
  std::vector<const TensorEntry*> tensors;  // tensors in the network's order; null: a missing counter
  std::vector<std::string> left_out;        // tensors of the state dict whose names have another prefix
  bool torchvision_names = false;
};

// Part of a file that comes nearest to a network, and its first difference.
struct WeightsMisfit {
  size_t agreement = 0;  // 0: no name agrees; 1: no shape agrees; else 1 + number of tensors that agree
  std::string text;      // "['net']: conv1.weight: expected (6, 3, 5, 5), found (64, 3, 3, 3)"
};

struct WeightsFits {
  std::vector<WeightsFit> fits;  // parts that fit, in the order of the file
  WeightsMisfit nearest;         // nearest part; meaningful if `fits` is empty
};

// Returns the parts of `state_dicts` that fit `network`, which must not be empty. The result refers to `state_dicts`.
WeightsFits FindFits(const std::vector<NetworkTensor>& network, const std::vector<StateDict>& state_dicts);

// Returns the name of a part of a file: "['net'], prefix 'module.'"; empty if it is the whole file.
std::string PartName(const WeightsFit& fit);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_NN_FIT_WEIGHTS_H_
