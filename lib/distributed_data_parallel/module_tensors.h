// The parameters and buffers of a module, and the check that all ranks have the same ones.
#ifndef LOCKSTEP_LIB_DISTRIBUTED_DATA_PARALLEL_MODULE_TENSORS_H_
#define LOCKSTEP_LIB_DISTRIBUTED_DATA_PARALLEL_MODULE_TENSORS_H_

#include <torch/nn/module.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/reducer/gradient_reducer.h"

namespace lockstep {

// Beginning of each message about the module.
inline constexpr char kOfDistributedDataParallel[] = "lockstep::DistributedDataParallel: ";

struct ModuleTensors {
  std::vector<NamedParameter> trainable;  // parameters that require a gradient
  std::vector<NamedParameter> frozen;     // all other parameters
  std::vector<NamedParameter> buffers;
};

// Returns the module's tensors in the order of registration. A tensor with several names has the first one only.
ModuleTensors TensorsOf(const torch::nn::Module& module);

// Returns a line for each tensor: kind, name, dtype, shape, and strides unless it is contiguous.
std::string Describe(const ModuleTensors& tensors);

// Returns InvalidArgumentError if a trainable parameter is not a dense fp32 leaf, a tensor is not on `device`, or there
// is no trainable parameter.
absl::Status CheckTensors(const ModuleTensors& tensors, c10::Device device);

// Returns InvalidArgumentError, with the first rank that differs from rank 0 and its first line that differs. `all`
// must hold the descriptions of all ranks in rank order.
absl::Status CheckSameDescriptions(const std::vector<std::string>& all);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DISTRIBUTED_DATA_PARALLEL_MODULE_TENSORS_H_
