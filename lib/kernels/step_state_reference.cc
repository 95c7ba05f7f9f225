#include <algorithm>

#include "lib/kernels/step_state.h"

namespace lockstep {

void AdvanceMicroBatchReference(uint32_t images, StepState* state) { state->first += images; }

void AdvanceBatchReference(uint32_t images, StepState* state) {
  state->first += images;
  state->batch_step += 1;
}

void AdvanceUpdateReference(const float* learning_rates, uint32_t steps, StepState* state) {
  state->update_step += 1;
  state->learning_rate = learning_rates[std::min(state->update_step, steps - 1)];
}

}  // namespace lockstep
