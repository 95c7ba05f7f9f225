// Measures over a few steps on one rank when each gradient becomes ready.
#ifndef LOCKSTEP_LIB_REDUCER_READINESS_H_
#define LOCKSTEP_LIB_REDUCER_READINESS_H_

#include <c10/core/Device.h>

#include <cstddef>
#include <vector>

#include "lib/communicator/timestamp.h"

namespace lockstep {

class Readiness {
 public:
  Readiness(size_t gradients, c10::Device device) : gradients_(gradients), device_(device) {}

  // Records the start of backward, and then the time at which each gradient is ready. Each step must record every
  // gradient once.
  void BeginStep();
  void Record(size_t gradient);

  // Returns for each gradient the median over the steps (the upper of two) of the seconds from the start of backward.
  // At least one step must have been recorded, and all must be complete. Waits for the device unless it is a CPU.
  std::vector<double> MedianSeconds() const;

 private:
  struct Step {
    Timestamp begin;
    std::vector<Timestamp> ready;
  };

  const size_t gradients_;
  const c10::Device device_;
  std::vector<Step> steps_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REDUCER_READINESS_H_
