// Energy that a device uses in the timed epochs, by its counter, which is read at both ends of each epoch.
#ifndef LOCKSTEP_LIB_TRAIN_ENERGY_WATCH_H_
#define LOCKSTEP_LIB_TRAIN_ENERGY_WATCH_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/base/start_thread.h"
#include "lib/base/stopwatch.h"
#include "lib/device/energy_sensor.h"
#include "lib/proto/quantity.pb.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

// Energy that was counted in some epochs.
struct CountedEnergy {
  uint32_t epochs = 0;
  double seconds = 0;  // between the two readings of each epoch, summed
  double joules = 0;
};

// Returns the mean energy of an epoch in joules, measured by the counter. The interval adds
// - the sensor's documented error;
// - two standard deviations of the ends: each reading lags by 0 to sensor.update_seconds. The energy of an epoch then
//   has the standard deviation power * update_seconds / sqrt(6), and the mean of n epochs 1 / sqrt(n) of it.
// Returns an absent reason if there are no epochs, or if the counter has not moved.
proto::Quantity CountedEpochJoules(const CountedEnergy& counted, const EnergySensor& sensor);

// Returns the same, derived from the power readings of `watch`, for a device without a counter: mean power * mean
// seconds. The interval adds the error of the power sensor and two standard errors of the mean power. NVML averages
// over a second, so that readings of the same second count once.
proto::Quantity SampledEpochJoules(const CountedEnergy& counted, const proto::DeviceWatch& watch);

// Reads the counter at Begin() and End(). Not thread-safe.
class EnergyWatch {
 public:
  // Reads the counter once, because the first reading is slow. If it fails, the counter is not read again.
  explicit EnergyWatch(EnergySensor sensor);
  ~EnergyWatch() { End(); }
  EnergyWatch(const EnergyWatch&) = delete;
  EnergyWatch& operator=(const EnergyWatch&) = delete;

  // Begins an epoch. A reading takes milliseconds, so that a thread makes it: ranks start an epoch together, and must
  // not wait for their counters. Returns the errors of ThreadGroup::Start.
  absl::Status Begin();

  // Ends the epoch. Does nothing if Begin() was not called.
  void End();

  // Returns the mean energy of the epochs by the counter; if it cannot be read, by the power readings of `watch`; if
  // there are none, the reason of the counter.
  proto::Quantity EpochJoules(const proto::DeviceWatch& watch) const;

 private:
  const EnergySensor sensor_;
  absl::Status status_;  // first error of the counter
  bool begun_ = false;
  ThreadGroup thread_;
  absl::StatusOr<double> begin_joules_;  // written by the thread
  Stopwatch stopwatch_;
  CountedEnergy counted_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_ENERGY_WATCH_H_
