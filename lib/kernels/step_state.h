// Position of a captured step in its epoch, kept on the device and advanced by the step itself: the same graph,
// replayed, takes the next batch at the next learning rate, and the host copies nothing in between.
//
// The state has two halves, because the next step's batch is made while this step's update is still running.
//
// AugmentBatchInput::first (augment_batch.h) and SgdInput::learning_rate (sgd.h) point to its fields.
#ifndef LOCKSTEP_LIB_KERNELS_STEP_STATE_H_
#define LOCKSTEP_LIB_KERNELS_STEP_STATE_H_

#include <cuda_runtime.h>

#include <cstdint>

namespace lockstep {

// State of an epoch. Before an epoch's first step, the host must set it to zeros and the first step's learning rate.
// Steps are counted from 0 in each epoch.
struct StepState {
  // Position of the batch, with forward and backward.
  uint32_t first = 0;       // start of the batch in the epoch's order
  uint32_t batch_step = 0;  // step to which the batch belongs
  // Position of the update.
  uint32_t update_step = 0;
  float learning_rate = 0;  // learning rate of update_step
};

// Advances the state. All pointers must be device pointers (host pointers for the references). Each function runs on
// `stream` and returns the launch's error.

// first += images: moves to the next micro-batch of the same step.
cudaError_t AdvanceMicroBatch(uint32_t images, StepState* state, cudaStream_t stream);

// first += images, batch_step += 1: moves to the next step's batch.
cudaError_t AdvanceBatch(uint32_t images, StepState* state, cudaStream_t stream);

// update_step += 1; learning_rate = learning_rates[min(update_step, steps - 1)] with the new step: after the last step
// the rate stays. learning_rates: fp32 (steps). Returns cudaErrorInvalidValue if `steps` is 0.
cudaError_t AdvanceUpdate(const float* learning_rates, uint32_t steps, StepState* state, cudaStream_t stream);

// Reference implementations on the host.
void AdvanceMicroBatchReference(uint32_t images, StepState* state);
void AdvanceBatchReference(uint32_t images, StepState* state);
void AdvanceUpdateReference(const float* learning_rates, uint32_t steps, StepState* state);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_STEP_STATE_H_
