// Thread that samples a GPU's state (clocks, power, temperature, throttling) while it computes.
#ifndef LOCKSTEP_LIB_TRAIN_DEVICE_WATCH_H_
#define LOCKSTEP_LIB_TRAIN_DEVICE_WATCH_H_

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "lib/base/start_thread.h"
#include "lib/proto/header.pb.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

// Time between readings. NVML averages power over a second (nvml.h, nvmlDeviceGetPowerUsage), and throttling that
// matters to an epoch lasts longer. More frequent readings would cost: each is several driver calls, and kernel
// launches wait for the driver too.
constexpr absl::Duration kDeviceWatchInterval = absl::Milliseconds(100);

// Returns statistics over the readings, or only an absent_reason if there are no readings.
proto::DeviceWatch SummarizeReadings(const std::vector<proto::DeviceState>& readings);

// Samples a device between Begin() and End(). One thread must call the two in turn.
class DeviceWatcher {
 public:
  using Read = std::function<proto::DeviceState()>;

  // Takes one reading immediately, because opening NVML is slow; the summary leaves this reading out. A device that
  // cannot be read is not watched. `interval` is the time from Begin() to the first reading and between readings.
  explicit DeviceWatcher(Read read, absl::Duration interval = kDeviceWatchInterval);
  ~DeviceWatcher() { End(); }
  DeviceWatcher(const DeviceWatcher&) = delete;
  DeviceWatcher& operator=(const DeviceWatcher&) = delete;

  // Starts sampling. Returns the errors of ThreadGroup::Start.
  absl::Status Begin();

  // Stops sampling, after a reading in progress has ended. Does nothing if Begin() was not called.
  void End();

  // Returns statistics over all readings so far. Must not be called between Begin() and End().
  proto::DeviceWatch Summary() const;

 private:
  void Watch();

  const Read read_;
  const absl::Duration interval_;
  std::string absent_reason_;
  ThreadGroup thread_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;                          // guarded by mutex_
  std::vector<proto::DeviceState> readings_;  // written by the thread
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_DEVICE_WATCH_H_
