// When each gradient becomes ready, measured over a few steps on one rank.
#ifndef LOCKSTEP_LIB_DIST_READINESS_H_
#define LOCKSTEP_LIB_DIST_READINESS_H_

#include <c10/core/Device.h>

#include <cstddef>
#include <vector>

#include "lib/dist/time_mark.h"

namespace lockstep {

class Readiness {
 public:
  Readiness(size_t gradients, c10::Device device) : gradients_(gradients), device_(device) {}

  // At the start of backward; then once for each gradient.
  void BeginStep();
  void Mark(size_t gradient);

  // Seconds from the start of backward: the median over the steps (the upper one of two), by gradient. At least one step,
  // and all are complete. Waits for the device when it is not a CPU.
  std::vector<double> MedianSeconds() const;

 private:
  struct Step {
    TimeMark begin;
    std::vector<TimeMark> ready;
  };

  const size_t gradients_;
  const c10::Device device_;
  std::vector<Step> steps_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_READINESS_H_
