// What a network's forward pass keeps for its backward pass, counted on the network while it runs: the memory of a training step
// that grows with the batch.
#ifndef LOCKSTEP_LIB_NN_ACTIVATION_BYTES_H_
#define LOCKSTEP_LIB_NN_ACTIVATION_BYTES_H_

#include <cstdint>

#include "lib/nn/model.h"

namespace lockstep {

struct ActivationBytes {
  uint64_t per_image = 0;  // input and labels too
  uint64_t fixed = 0;      // whatever the batch: statistics of batch norms, weights in bf16
};

// Trains `model`, which is on the CPU, on one image and on two, forward only (its running statistics change), and counts the
// storages that operators made and that are still there when the loss is. `bf16`: as Bf16Autocast computes.
ActivationBytes CountActivationBytes(Model& model, bool bf16);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_NN_ACTIVATION_BYTES_H_
