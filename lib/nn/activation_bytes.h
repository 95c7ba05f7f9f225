// Memory that a network's forward pass keeps for its backward pass, counted while the network runs. It is the part of a
// training step's memory that grows with the batch.
#ifndef LOCKSTEP_LIB_NN_ACTIVATION_BYTES_H_
#define LOCKSTEP_LIB_NN_ACTIVATION_BYTES_H_

#include <cstdint>

#include "lib/nn/autocast.h"
#include "lib/nn/model.h"

namespace lockstep {

struct ActivationBytes {
  uint64_t per_image = 0;  // includes input and labels
  uint64_t fixed = 0;      // independent of the batch: statistics of batch norm, weights in bf16
};

// Counts the storages that operators made and that still exist when the loss is known. Runs the forward pass in
// training mode on two images and on three, which changes the running statistics. One image is too few for batch norm
// after all pixels have been reduced to one. `model` must be on the CPU.
ActivationBytes CountActivationBytes(Model& model, AutocastMode mode);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_NN_ACTIVATION_BYTES_H_
