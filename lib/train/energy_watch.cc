#include "lib/train/energy_watch.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/device/nvidia_driver.h"
#include "lib/statistics/quantity.h"

namespace lockstep {
namespace {

constexpr double kAveragingSeconds = 1;  // nvml.h, nvmlDeviceGetPowerUsage: average over one second since Ampere

proto::Quantity WithInterval(double joules, double half_width, proto::Provenance provenance,
                             const std::string& method) {
  proto::Quantity quantity;
  quantity.set_value(joules);
  quantity.set_provenance(provenance);
  quantity.set_low(std::max(0.0, joules - half_width));
  quantity.set_high(joules + half_width);
  quantity.set_method(method);
  return quantity;
}

std::string DescribeError(double relative_error) {
  return relative_error > 0 ? absl::StrFormat("error of the sensor of at most %g %%", relative_error * 100)
                            : "without the error of the sensor, which is not documented";
}

}  // namespace

proto::Quantity CountedEpochJoules(const CountedEnergy& counted, const EnergySensor& sensor) {
  if (counted.epochs == 0) {
    return Absent("no epoch was timed since training resumed");
  }
  if (counted.joules <= 0 || counted.seconds <= 0) {
    return Absent(absl::StrFormat("%s has not moved in %.3g s; it needs longer epochs", sensor.name, counted.seconds));
  }
  const double joules = counted.joules / counted.epochs;
  const double ends = counted.joules / counted.seconds * sensor.update_seconds / std::sqrt(6.0 * counted.epochs);
  return WithInterval(
      joules, sensor.relative_error * joules + 2 * ends, proto::MEASURED,
      absl::StrFormat("mean of %d timed epochs by %s; interval: %s, and two standard deviations of "
                      "ends that lag by up to %g ms",
                      counted.epochs, sensor.name, DescribeError(sensor.relative_error), sensor.update_seconds * 1000));
}

proto::Quantity SampledEpochJoules(const CountedEnergy& counted, const proto::DeviceWatch& watch) {
  if (counted.epochs == 0 || watch.readings() == 0 || watch.mean_power_watts() <= 0) {
    return Absent("no reading of the power in a timed epoch");
  }
  const double seconds = counted.seconds / counted.epochs;
  const double joules = watch.mean_power_watts() * seconds;
  const double independent = std::max(1.0, std::min<double>(watch.readings(), counted.seconds / kAveragingSeconds));
  const double sampling = watch.power_deviation_watts() / std::sqrt(independent) * seconds;
  return WithInterval(joules, kPowerError * joules + 2 * sampling, proto::DERIVED,
                      absl::StrFormat("mean of %d power readings x mean seconds of %d timed epochs; interval: %s, and "
                                      "two standard errors of the mean power",
                                      watch.readings(), counted.epochs, DescribeError(kPowerError)));
}

EnergyWatch::EnergyWatch(EnergySensor sensor) : sensor_(std::move(sensor)), status_(sensor_.read_joules().status()) {}

absl::Status EnergyWatch::Begin() {
  begun_ = true;
  stopwatch_.Restart();
  return status_.ok() ? thread_.Start([this] { begin_joules_ = sensor_.read_joules(); }) : absl::OkStatus();
}

void EnergyWatch::End() {
  if (!begun_) {
    return;
  }
  begun_ = false;
  counted_.seconds += stopwatch_.Seconds();
  ++counted_.epochs;
  thread_.Join();
  if (!status_.ok()) {
    return;
  }
  const absl::StatusOr<double> end_joules = sensor_.read_joules();
  status_.Update(begin_joules_.status());
  status_.Update(end_joules.status());
  counted_.joules += status_.ok() ? *end_joules - *begin_joules_ : 0;
}

proto::Quantity EnergyWatch::EpochJoules(const proto::DeviceWatch& watch) const {
  if (status_.ok()) {
    return CountedEpochJoules(counted_, sensor_);
  }
  return watch.readings() > 0 ? SampledEpochJoules(counted_, watch) : Absent(status_.message());
}

}  // namespace lockstep
