// How a GPU does while it computes: its state, read now and then on a thread of its own.
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

// Ten times a second: NVML gives power averaged over a second (nvml.h, nvmlDeviceGetPowerUsage), and throttling that
// matters to an epoch lasts longer; each reading is some calls into the driver that launches wait for too.
constexpr absl::Duration kDeviceWatchInterval = absl::Milliseconds(100);

// What some readings have in common; absent_reason when there are none.
proto::DeviceWatch SummarizeReadings(const std::vector<proto::DeviceState>& readings);

// Begin and End are called by one thread, in turn.
class DeviceWatcher {
 public:
  using Read = std::function<proto::DeviceState()>;

  // Reads once at once, which is no reading of the watch: opening NVML takes its time. A device that cannot be read is
  // not watched. `interval` is the time to the first reading after Begin, and between readings.
  explicit DeviceWatcher(Read read, absl::Duration interval = kDeviceWatchInterval);
  ~DeviceWatcher() { End(); }
  DeviceWatcher(const DeviceWatcher&) = delete;
  DeviceWatcher& operator=(const DeviceWatcher&) = delete;

  // Reads from here on. Errors are those of ThreadGroup::Start.
  absl::Status Begin();

  // Reads no more. Waits for a reading that is under way. Does nothing if Begin was not called.
  void End();

  // All readings so far in figures. Not between Begin and End.
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
