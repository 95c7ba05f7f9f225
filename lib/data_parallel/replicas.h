// Copies of one network on other devices. They are replicated from device 0 before each forward pass
// (torch/nn/parallel/replicate.py), and their gradients are summed on device 0 after each backward pass.
#ifndef LOCKSTEP_LIB_DATA_PARALLEL_REPLICAS_H_
#define LOCKSTEP_LIB_DATA_PARALLEL_REPLICAS_H_

#include <c10/core/Device.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "lib/data_parallel/flat_tensors.h"
#include "lib/nn/model.h"

namespace lockstep {

// Replica 0 is the network itself: only its buffers (batch norm's running statistics) are kept after a step. The memory
// of the other replicas and of the gradients is allocated once. On CUDA all work is queued on the current streams.
// Throws c10::Error like LibTorch.
class Replicas {
 public:
  // `module` must be on devices[0], with its weights in their final memory order. `others` must be networks of the same
  // kind, one for each device after the first; their contents are lost.
  Replicas(std::shared_ptr<Model> module, std::vector<std::shared_ptr<Model>> others,
           const std::vector<c10::Device>& devices);

  Model& at(size_t i) { return *models_[i]; }

  // Copies the network's parameters and buffers to the first `count` - 1 other replicas. Returns the bytes sent by
  // device 0.
  uint64_t Replicate(size_t count);

  // Packs the gradients of replica i on its own device and resets grad() of its parameters. Two threads may pack two
  // different replicas at the same time.
  void PackGradients(size_t i);

  // Sets the network's gradients to the sum of the packed gradients of the first `count` replicas: ((0 + 1) + 2) + ...
  // Returns the bytes received by device 0.
  uint64_t SumGradients(size_t count);

 private:
  std::vector<std::shared_ptr<Model>> models_;
  std::vector<FlatTensors> values_;     // values of each replica; of replica 0: the packed values to send
  std::vector<FlatTensors> gradients_;  // gradients of each replica; of replica 0: the sum
  FlatTensors received_;                // gradients of another device, on device 0
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DATA_PARALLEL_REPLICAS_H_
