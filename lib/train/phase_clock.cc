#include "lib/train/phase_clock.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include "lib/device/device.h"

namespace lockstep {

void PhaseClock::Start() {
  phases_.clear();
  times_.clear();
  recorded_ = 0;
  SynchronizeDevice(device_);
  wall_.Restart();
  Enter(Phase::kDataWait);
}

void PhaseClock::Enter(Phase phase) {
  Record();
  phases_.push_back(phase);
}

void PhaseClock::Record() {
  if (!device_.is_cuda()) {
    times_.push_back(std::chrono::steady_clock::now());
  } else {
    if (recorded_ == events_.size()) {
      events_.emplace_back(device_.type(), c10::EventFlag::BACKEND_DEFAULT);  // timing is enabled by this flag
    }
    events_[recorded_].record(c10::impl::VirtualGuardImpl(device_.type()).getStream(device_));
  }
  ++recorded_;
}

double PhaseClock::SecondsBetween(size_t first, size_t second) const {
  if (!device_.is_cuda()) {
    return std::chrono::duration<double>(times_[second] - times_[first]).count();
  }
  return events_[first].elapsedTime(events_[second]) / 1000;  // CUDA returns milliseconds
}

PhaseTimes PhaseClock::Finish() {
  Record();
  SynchronizeDevice(device_);
  PhaseTimes times;
  times.wall = wall_.Seconds();
  for (size_t i = 0; i < phases_.size(); ++i) {
    const double seconds = SecondsBetween(i, i + 1);
    times.phase[static_cast<size_t>(phases_[i])] += seconds;
    if (phases_[i] == Phase::kDataWait) {
      continue;
    }
    if (phases_[i - 1] == Phase::kDataWait) {  // an epoch begins with a wait
      times.step.push_back(0);
    }
    times.step.back() += seconds;
  }
  return times;
}

}  // namespace lockstep
