#include "lib/reducer/readiness.h"

#include <algorithm>

namespace lockstep {

void Readiness::BeginStep() { steps_.push_back({Timestamp::Here(device_), std::vector<Timestamp>(gradients_)}); }

void Readiness::Record(size_t gradient) { steps_.back().ready[gradient] = Timestamp::Here(device_); }

std::vector<double> Readiness::MedianSeconds() const {
  std::vector<double> medians;
  for (size_t gradient = 0; gradient < gradients_; ++gradient) {
    std::vector<double> seconds;
    for (const Step& step : steps_) {
      seconds.push_back(step.ready[gradient].SecondsSince(step.begin));
    }
    const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
    std::nth_element(seconds.begin(), middle, seconds.end());
    medians.push_back(*middle);
  }
  return medians;
}

}  // namespace lockstep
