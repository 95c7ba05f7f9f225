// Copies of one network on other devices: replicated from device 0 before each forward pass
// (torch/nn/parallel/replicate.py), their gradients summed onto device 0 after each backward pass.
#ifndef LOCKSTEP_LIB_DIST_REPLICAS_H_
#define LOCKSTEP_LIB_DIST_REPLICAS_H_

#include <c10/core/Device.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "lib/dist/flat_tensors.h"
#include "lib/nn/model.h"

namespace lockstep {

// Replica 0 is the network itself: its buffers (batch norm's running statistics) are those that survive a step. The
// memory of the others, and of the gradients on their way, is taken once. On CUDA all is queued on the current streams.
// Throws c10::Error as LibTorch does.
class Replicas {
 public:
  // `module` is on devices[0], its weights in their final order in memory. `others` are networks of the same kind, one
  // for each device behind the first; what they hold is lost.
  Replicas(std::shared_ptr<Model> module, std::vector<std::shared_ptr<Model>> others,
           const std::vector<c10::Device>& devices);

  Model& at(size_t i) { return *models_[i]; }

  // Parameters and buffers of the network to the first `count` - 1 others. Returns the bytes that leave device 0.
  uint64_t Replicate(size_t count);

  // Packs the gradients of replica i on its own device, and drops them where they were. Two threads may pack two
  // replicas.
  void PackGradients(size_t i);

  // The network's gradients become the sum of those that the first `count` replicas packed: ((0 + 1) + 2) + ... Returns
  // the bytes that reach device 0.
  uint64_t SumGradients(size_t count);

 private:
  std::vector<std::shared_ptr<Model>> models_;
  std::vector<FlatTensors> values_;     // of each replica; of the first: what is about to travel
  std::vector<FlatTensors> gradients_;  // of each replica; of the first: the sum
  FlatTensors received_;                // gradients of another device, on device 0
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_REPLICAS_H_
