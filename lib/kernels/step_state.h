// Where a captured step stands in its epoch, kept on the device: the last node of a CUDA graph of one step moves it on,
// so that the same graph, replayed, takes the next batch at the next learning rate and the host copies nothing in
// between.
//
// AugmentBatchInput::first (augment_batch.h) and SgdInput::learning_rate (sgd.h) point at the fields.
#ifndef LOCKSTEP_LIB_KERNELS_STEP_STATE_H_
#define LOCKSTEP_LIB_KERNELS_STEP_STATE_H_

#include <cuda_runtime.h>

#include <cstdint>

namespace lockstep {

// The host sets it before an epoch's first step: first = step = 0 and the first step's learning rate.
struct StepState {
  uint32_t first = 0;       // where the batch begins in the epoch's order
  uint32_t step = 0;        // of this epoch, from 0
  float learning_rate = 0;  // of this step
};

// step += 1; first += batch; learning_rate = learning_rates[min(step, steps - 1)], with the new step: after the last
// one the rate stays. learning_rates: fp32 (steps), steps at least 1. Pointers are of the device (of the host for the
// reference). Returns the launch's error, or cudaErrorInvalidValue when `steps` is 0; runs on `stream`.
cudaError_t AdvanceStep(const float* learning_rates, uint32_t steps, uint32_t batch, StepState* state,
                        cudaStream_t stream);

// first += batch, and no more: to the next micro-batch of the same step.
cudaError_t AdvanceMicroBatch(uint32_t batch, StepState* state, cudaStream_t stream);

// The same on the host.
void AdvanceStepReference(const float* learning_rates, uint32_t steps, uint32_t batch, StepState* state);
void AdvanceMicroBatchReference(uint32_t batch, StepState* state);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_STEP_STATE_H_
