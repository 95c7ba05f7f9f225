// Where the time of an epoch goes, without waiting for the device inside it.
//
// An epoch is cut into phases without gaps, so that the phases add up to the whole. On a CPU a cut is a reading of the
// steady clock. On CUDA it is an event in the current stream: the phases are those of the device's own timeline, where a
// phase in which the device waits for the host's next launch is as long as that wait, and a host that runs ahead costs
// nothing. The events are read once per epoch, at its end.
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

// Seconds of one epoch.
struct PhaseTimes {
  double wall = 0;                         // on the host's clock, from Start until the device had finished
  std::array<double, kPhases> phase = {};  // indexed by Phase; on a CPU their sum is `wall` but for microseconds
  std::vector<double> step;                // of each step: what stands between two waits for data

  double operator[](Phase which) const { return phase[static_cast<size_t>(which)]; }
};

// One clock serves any number of epochs, one after another. Not thread-safe. A cut costs about 20 ns on a CPU and the
// launch of an event, about 1 us of host time, on CUDA. Throws c10::Error when the device fails.
class PhaseClock {
 public:
  explicit PhaseClock(c10::Device device) : device_(device) {}

  // Begins an epoch, in Phase::kDataWait.
  void Start();

  // From here on time belongs to `phase`.
  void Enter(Phase phase);

  // Ends the epoch: waits for the device and adds up.
  PhaseTimes Finish();

  // "cuda events" or "steady clock": SweepPoint.timing_method.
  std::string Method() const { return device_.is_cuda() ? "cuda events" : "steady clock"; }

 private:
  using TimePoint = std::chrono::steady_clock::time_point;

  void Mark();
  double SecondsBetween(size_t first, size_t second) const;

  const c10::Device device_;
  Stopwatch wall_;
  std::vector<Phase> phases_;       // phases_[i] began at mark i; the last mark is the end
  std::vector<TimePoint> times_;    // marks, on a CPU
  std::vector<c10::Event> events_;  // marks, on CUDA; made once and recorded again in every epoch
  size_t marks_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_PHASE_CLOCK_H_
