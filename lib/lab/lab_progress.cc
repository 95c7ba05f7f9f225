#include "lib/lab/lab_progress.h"

namespace lockstep {

double LabProgress::Pace() const {
  return predicted_seconds < kMinPredictedSeconds ? 1 : measured_seconds / predicted_seconds;
}

}  // namespace lockstep
