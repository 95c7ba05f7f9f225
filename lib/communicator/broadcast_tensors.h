// Broadcasts several tensors from one rank to all: a model's parameters at the start, its batch-norm buffers in every
// step.
#ifndef LOCKSTEP_LIB_COMMUNICATOR_BROADCAST_TENSORS_H_
#define LOCKSTEP_LIB_COMMUNICATOR_BROADCAST_TENSORS_H_

#include <ATen/core/Tensor.h>

#include <vector>

#include "absl/status/status.h"
#include "lib/communicator/communicator.h"

namespace lockstep {

// Replaces the contents of `tensors`, which may have any shape, strides and dtype, by those of rank `root`. The tensors
// are packed, one broadcast per dtype. All ranks must pass tensors of the same shapes and dtypes in the same order. On
// CUDA the current stream waits for the result, and the host does not. Errors are those of the communicator.
absl::Status BroadcastTensors(Communicator& communicator, const std::vector<at::Tensor>& tensors, int root);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMMUNICATOR_BROADCAST_TENSORS_H_
