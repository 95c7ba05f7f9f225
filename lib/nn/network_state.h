// Tensors of a network by their names, as Python's state_dict() has them.
#ifndef LOCKSTEP_LIB_NN_NETWORK_STATE_H_
#define LOCKSTEP_LIB_NN_NETWORK_STATE_H_

#include <torch/nn/module.h>

#include <string>
#include <utility>
#include <vector>

namespace lockstep {

using NamedTensors = std::vector<std::pair<std::string, torch::Tensor>>;

// Collects tensors in the order of Python's state_dict(): a module's own parameters, its own buffers, then its
// children.
inline void CollectState(const torch::nn::Module& module, const std::string& prefix, NamedTensors& state) {
  for (const auto& parameter : module.named_parameters(/*recurse=*/false)) {
    state.emplace_back(prefix + parameter.key(), parameter.value());
  }
  for (const auto& buffer : module.named_buffers(/*recurse=*/false)) {
    state.emplace_back(prefix + buffer.key(), buffer.value());
  }
  for (const auto& child : module.named_children()) {
    CollectState(*child.value(), prefix + child.key() + ".", state);
  }
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_NN_NETWORK_STATE_H_
