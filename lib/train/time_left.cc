#include "lib/train/time_left.h"

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

double TimeLeft::RestSeconds(double elapsed) const {
  return std::max(0.0, elapsed - timed_seconds_) / static_cast<double>(points_done_);
}

double TimeLeft::EpochSeconds() const {
  return timed_epochs_ == 0 ? 0 : timed_seconds_ / static_cast<double>(timed_epochs_);
}

double TimeLeft::Seconds(double elapsed) const {
  return static_cast<double>(points_left_) * RestSeconds(elapsed) + static_cast<double>(epochs_left_) * EpochSeconds();
}

double TimeLeft::SecondsAfterNext(uint32_t epochs, double elapsed) const {
  if (points_left_ <= 1) {
    return 0;
  }
  return points_done_ == 0 ? -1 : Seconds(elapsed) - RestSeconds(elapsed) - epochs * EpochSeconds();
}

}  // namespace lockstep
