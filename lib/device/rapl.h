// Energy of the CPU packages of this host: the counters of RAPL (Running Average Power Limit), which Linux shows in
// /sys/class/powercap (kernel documentation, power/powercap). Since Linux 5.10 only root may read them.
#ifndef LOCKSTEP_LIB_DEVICE_RAPL_H_
#define LOCKSTEP_LIB_DEVICE_RAPL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/device/energy_sensor.h"

namespace lockstep {

// Sum of the counters of all packages. Each counter restarts at 0 when it is full, after minutes at the earliest, and
// must be read at least once in between. Not thread-safe.
class RaplCounter {
 public:
  explicit RaplCounter(std::string folder = "/sys/class/powercap");

  // Returns the joules since the first call. Returns UnavailableError if there is no package, or if the counter of a
  // package cannot be read.
  absl::StatusOr<double> ReadJoules();

 private:
  struct Package {
    std::string folder;  // "/sys/class/powercap/intel-rapl:0"
    uint64_t range = 0;  // largest value of the counter, in microjoules
    uint64_t last = 0;   // last value, in microjoules
    bool read = false;   // true: `last` is set
  };
  absl::StatusOr<uint64_t> Advance(Package& package) const;

  const std::string folder_;
  std::vector<Package> packages_;
  uint64_t microjoules_ = 0;
};

// Returns the sensor of this host's CPU packages, which include the load of all processes. Intel documents an update
// about every millisecond (SDM volume 3B, "RAPL Interfaces") and no accuracy.
EnergySensor RaplSensor();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DEVICE_RAPL_H_
