// How a GPU does while it computes: its state, read now and then on a thread of its own.
#ifndef LOCKSTEP_LIB_TRAIN_DEVICE_WATCH_H_
#define LOCKSTEP_LIB_TRAIN_DEVICE_WATCH_H_

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/time.h"
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

  void Begin();  // from here on
  void End();    // up to here; a reading that is under way is waited for. Nothing when not begun

  // All readings so far in figures. Not between Begin and End.
  proto::DeviceWatch Summary() const;

 private:
  void Watch();

  const Read read_;
  const absl::Duration interval_;
  std::string absent_reason_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;                          // guarded by mutex_
  std::vector<proto::DeviceState> readings_;  // written by the thread
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_DEVICE_WATCH_H_
