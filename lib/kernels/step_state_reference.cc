#include <algorithm>

#include "lib/kernels/step_state.h"

namespace lockstep {

void AdvanceStepReference(const float* learning_rates, uint32_t steps, uint32_t batch, StepState* state) {
  state->step += 1;
  state->first += batch;
  state->learning_rate = learning_rates[std::min(state->step, steps - 1)];
}

void AdvanceMicroBatchReference(uint32_t batch, StepState* state) { state->first += batch; }

}  // namespace lockstep
