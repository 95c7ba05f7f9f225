#include "lib/train/device_watch.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <utility>

#include "lib/statistics/mean.h"
#include "lib/statistics/percentile.h"

namespace lockstep {
namespace {

std::vector<double> Sorted(const std::vector<proto::DeviceState>& readings,
                           double (proto::DeviceState::*field)() const) {
  std::vector<double> values;
  for (const proto::DeviceState& reading : readings) {
    values.push_back((reading.*field)());
  }
  std::sort(values.begin(), values.end());
  return values;
}

// Returns the standard deviation with the divisor n - 1; 0 for a single value.
double Deviation(const std::vector<double>& values) {
  const double mean = Mean(values);
  double squares = 0;
  for (const double value : values) {
    squares += (value - mean) * (value - mean);
  }
  return values.size() < 2 ? 0 : std::sqrt(squares / static_cast<double>(values.size() - 1));
}

}  // namespace

proto::DeviceWatch SummarizeReadings(const std::vector<proto::DeviceState>& readings) {
  proto::DeviceWatch watch;
  if (readings.empty()) {
    watch.set_absent_reason("the timed epochs were over before the first reading");
    return watch;
  }
  const std::vector<double> sm = Sorted(readings, &proto::DeviceState::sm_clock_mhz);
  const std::vector<double> memory = Sorted(readings, &proto::DeviceState::memory_clock_mhz);
  const std::vector<double> power = Sorted(readings, &proto::DeviceState::power_watts);
  watch.set_readings(static_cast<uint32_t>(readings.size()));
  watch.set_min_sm_clock_mhz(sm.front());
  watch.set_median_sm_clock_mhz(Percentile(sm, 0.5));
  watch.set_min_memory_clock_mhz(memory.front());
  watch.set_median_memory_clock_mhz(Percentile(memory, 0.5));
  watch.set_median_power_watts(Percentile(power, 0.5));
  watch.set_max_power_watts(power.back());
  watch.set_mean_power_watts(Mean(power));
  watch.set_power_deviation_watts(Deviation(power));
  watch.set_max_temperature_celsius(Sorted(readings, &proto::DeviceState::temperature_celsius).back());
  std::map<std::string, uint32_t> reasons;
  for (const proto::DeviceState& reading : readings) {
    for (const std::string& reason : reading.throttle_reason()) {
      ++reasons[reason];
    }
  }
  for (const auto& [reason, count] : reasons) {
    proto::ThrottleCount& throttle = *watch.add_throttle();
    throttle.set_reason(reason);
    throttle.set_readings(count);
  }
  return watch;
}

DeviceWatcher::DeviceWatcher(Read read, absl::Duration interval)
    : read_(std::move(read)), interval_(interval), absent_reason_(read_().absent_reason()) {}

absl::Status DeviceWatcher::Begin() {
  if (!absent_reason_.empty()) {
    return absl::OkStatus();
  }
  end_ = false;
  return thread_.Start([this] { Watch(); });
}

void DeviceWatcher::End() {
  if (thread_.empty()) {
    return;
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    end_ = true;
  }
  ended_.notify_one();
  thread_.Join();
}

void DeviceWatcher::Watch() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!ended_.wait_for(lock, absl::ToChronoNanoseconds(interval_), [this] { return end_; })) {
    readings_.push_back(read_());
  }
}

proto::DeviceWatch DeviceWatcher::Summary() const {
  if (absent_reason_.empty()) {
    return SummarizeReadings(readings_);
  }
  proto::DeviceWatch watch;
  watch.set_absent_reason(absent_reason_);
  return watch;
}

}  // namespace lockstep
