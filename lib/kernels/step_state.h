// Where a captured step stands in its epoch, kept on the device and moved on by the step itself: the same graph, replayed,
// takes the next batch at the next learning rate, and the host copies nothing in between.
//
// It has two halves, since the next step's batch is made while this step's update is still under way.
//
// AugmentBatchInput::first (augment_batch.h) and SgdInput::learning_rate (sgd.h) point at the fields.
#ifndef LOCKSTEP_LIB_KERNELS_STEP_STATE_H_
#define LOCKSTEP_LIB_KERNELS_STEP_STATE_H_

#include <cuda_runtime.h>

#include <cstdint>

namespace lockstep {

// The host sets it before an epoch's first step: zeros and the first step's learning rate. Steps count from 0 in each
// epoch.
struct StepState {
  // Where the batch stands, with forward and backward.
  uint32_t first = 0;       // where the batch begins in the epoch's order
  uint32_t batch_step = 0;  // whose batch it is
  // Where the update stands.
  uint32_t update_step = 0;
  float learning_rate = 0;  // of update_step
};

// Pointers are of the device (of the host for the references). Each returns the launch's error and runs on `stream`.

// first += images, and no more: to the next micro-batch of the same step.
cudaError_t AdvanceMicroBatch(uint32_t images, StepState* state, cudaStream_t stream);

// first += images, batch_step += 1: to the next step's batch.
cudaError_t AdvanceBatch(uint32_t images, StepState* state, cudaStream_t stream);

// update_step += 1; learning_rate = learning_rates[min(update_step, steps - 1)], with the new step: after the last one
// the rate stays. learning_rates: fp32 (steps). cudaErrorInvalidValue when `steps` is 0.
cudaError_t AdvanceUpdate(const float* learning_rates, uint32_t steps, StepState* state, cudaStream_t stream);

// The same on the host.
void AdvanceMicroBatchReference(uint32_t images, StepState* state);
void AdvanceBatchReference(uint32_t images, StepState* state);
void AdvanceUpdateReference(const float* learning_rates, uint32_t steps, StepState* state);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_STEP_STATE_H_
