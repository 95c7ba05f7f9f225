// One thread: up to 20 bytes are moved, so the time is that of a launch.
#include "lib/kernels/step_state.h"

namespace lockstep {
namespace {

__global__ void AdvanceBatchKernel(uint32_t images, uint32_t steps, StepState* state) {
  state->first += images;
  state->batch_step += steps;
}

__global__ void AdvanceUpdateKernel(const float* learning_rates, uint32_t steps, StepState* state) {
  const uint32_t step = state->update_step + 1;
  state->update_step = step;
  state->learning_rate = learning_rates[step < steps ? step : steps - 1];
}

cudaError_t Advance(uint32_t images, uint32_t steps, StepState* state, cudaStream_t stream) {
  AdvanceBatchKernel<<<1, 1, 0, stream>>>(images, steps, state);
  return cudaGetLastError();
}

}  // namespace

cudaError_t AdvanceMicroBatch(uint32_t images, StepState* state, cudaStream_t stream) {
  return Advance(images, 0, state, stream);
}

cudaError_t AdvanceBatch(uint32_t images, StepState* state, cudaStream_t stream) {
  return Advance(images, 1, state, stream);
}

cudaError_t AdvanceUpdate(const float* learning_rates, uint32_t steps, StepState* state, cudaStream_t stream) {
  if (steps == 0) {
    return cudaErrorInvalidValue;
  }
  AdvanceUpdateKernel<<<1, 1, 0, stream>>>(learning_rates, steps, state);
  return cudaGetLastError();
}

}  // namespace lockstep
