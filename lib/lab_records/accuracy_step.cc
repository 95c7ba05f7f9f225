#include "lib/lab_records/accuracy_step.h"

namespace lockstep {

const proto::AccuracyStep* FindStep(const proto::QuantizedNetwork& network, proto::QuantizeStage stage) {
  for (const proto::AccuracyStep& step : network.step()) {
    if (step.stage() == stage) {
      return &step;
    }
  }
  return nullptr;
}

double AccuracyOf(const proto::AccuracyStep& step) {
  return static_cast<double>(step.correct()) / static_cast<double>(step.images());
}

}  // namespace lockstep
