// Times of the phases of an epoch, measured without waiting for the device inside the epoch.
//
// An epoch is divided into phases without gaps, so the phases add up to the whole. On a CPU a phase boundary is a
// reading of the steady clock. On CUDA it is an event in the current stream, so phases are measured on the device's
// timeline: a phase includes the time for which the device waits for the host's next launch, and a host that runs ahead
// costs nothing. The events are read once per epoch, at its end.
#ifndef LOCKSTEP_LIB_TRAIN_PHASE_CLOCK_H_
#define LOCKSTEP_LIB_TRAIN_PHASE_CLOCK_H_

#include <c10/core/Device.h>
#include <c10/core/Event.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "lib/base/stopwatch.h"

namespace lockstep {

enum class Phase { kDataWait, kCopy, kForward, kBackward, kOptimizer };
inline constexpr size_t kPhases = 5;

// Times of one epoch in seconds.
struct PhaseTimes {
  double wall = 0;                         // host's time from Start() until the device had finished
  std::array<double, kPhases> phase = {};  // indexed by Phase; on a CPU the sum equals `wall` to within microseconds
  std::vector<double> step;                // seconds of each step: the time between two waits for data

  double operator[](Phase which) const { return phase[static_cast<size_t>(which)]; }
};

// Clock for any number of epochs, one after another. Not thread-safe. A phase boundary costs about 20 ns on a CPU and,
// on CUDA, the launch of an event, about 1 us of host time. Throws c10::Error if the device fails.
class PhaseClock {
 public:
  explicit PhaseClock(c10::Device device) : device_(device) {}

  // Begins an epoch, in Phase::kDataWait.
  void Start();

  // Starts `phase` and ends the phase before it.
  void Enter(Phase phase);

  // Ends the epoch: waits for the device and returns the times.
  PhaseTimes Finish();

  // Returns "cuda events" or "steady clock", for SweepPoint.timing_method.
  std::string Method() const { return device_.is_cuda() ? "cuda events" : "steady clock"; }

 private:
  using TimePoint = std::chrono::steady_clock::time_point;

  void Record();
  double SecondsBetween(size_t first, size_t second) const;

  const c10::Device device_;
  Stopwatch wall_;
  std::vector<Phase> phases_;       // phases_[i] began at timestamp i; the last timestamp is the end
  std::vector<TimePoint> times_;    // timestamps on a CPU
  std::vector<c10::Event> events_;  // timestamps on CUDA; made once and recorded again in every epoch
  size_t recorded_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_PHASE_CLOCK_H_
