// One thread: 20 bytes move, and the time is that of a launch.
#include "lib/kernels/step_state.h"

namespace lockstep {
namespace {

__global__ void AdvanceStepKernel(const float* learning_rates, uint32_t steps, uint32_t batch, StepState* state) {
  const uint32_t step = state->step + 1;
  state->step = step;
  state->first += batch;
  state->learning_rate = learning_rates[step < steps ? step : steps - 1];
}

__global__ void AdvanceMicroBatchKernel(uint32_t batch, StepState* state) { state->first += batch; }

}  // namespace

cudaError_t AdvanceMicroBatch(uint32_t batch, StepState* state, cudaStream_t stream) {
  AdvanceMicroBatchKernel<<<1, 1, 0, stream>>>(batch, state);
  return cudaGetLastError();
}

cudaError_t AdvanceStep(const float* learning_rates, uint32_t steps, uint32_t batch, StepState* state,
                        cudaStream_t stream) {
  if (steps == 0) {
    return cudaErrorInvalidValue;
  }
  AdvanceStepKernel<<<1, 1, 0, stream>>>(learning_rates, steps, batch, state);
  return cudaGetLastError();
}

}  // namespace lockstep
