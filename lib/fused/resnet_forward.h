// Forward pass of a ResNet step: the batch from the resident data set; the convolutions (20 in ResNet-18), each with
// its batch norm (+ shortcut) + ReLU; the classifier with the loss, whose kernel also computes the gradient of the last
// activations.
#ifndef LOCKSTEP_LIB_FUSED_RESNET_FORWARD_H_
#define LOCKSTEP_LIB_FUSED_RESNET_FORWARD_H_

#include <cuda_runtime.h>

#include <cstddef>

#include "absl/status/statusor.h"
#include "lib/fused/micro_batch.h"
#include "lib/fused/unit_forward.h"

namespace lockstep {

// Queues the forward pass on `main`, the shortcuts on `branch`, and the next step's batch on `update`. Returns the
// event after the next step's batch; null if none is made. Leaves for the backward pass: buffers.raw, the ReLUs'
// outputs and masks, the batch norms' states, and buffers.gradient[0]. T: float or __nv_bfloat16.
template <typename T>
absl::StatusOr<cudaEvent_t> EnqueueForward(const MicroBatch<T>& batch);

// Returns the operands of unit u's forward pass, which reads `input`.
template <typename T>
ForwardOperands<T> OperandsOf(const MicroBatch<T>& batch, size_t u, const T* input);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_RESNET_FORWARD_H_
