#include "lib/scale_run/time_left.h"

#include <algorithm>

namespace lockstep {

void TimeLeft::Expect(uint32_t epochs) {
  ++points_left_;
  epochs_left_ += epochs;
}

void TimeLeft::Finish(uint32_t epochs, double epoch_seconds) {
  --points_left_;
  epochs_left_ -= epochs;
  ++points_done_;
  if (epoch_seconds > 0) {
    timed_epochs_ += epochs;
    timed_seconds_ += epochs * epoch_seconds;
  }
}

double TimeLeft::Seconds(double elapsed) const {
  const double rest = std::max(0.0, elapsed - timed_seconds_) / static_cast<double>(points_done_);
  const double epoch = timed_epochs_ == 0 ? 0 : timed_seconds_ / static_cast<double>(timed_epochs_);
  return static_cast<double>(points_left_) * rest + static_cast<double>(epochs_left_) * epoch;
}

}  // namespace lockstep
