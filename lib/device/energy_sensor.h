// Counter of the energy that a device has used.
#ifndef LOCKSTEP_LIB_DEVICE_ENERGY_SENSOR_H_
#define LOCKSTEP_LIB_DEVICE_ENERGY_SENSOR_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"

namespace lockstep {

struct EnergySensor {
  // Returns the energy in joules since a fixed moment, or UnavailableError with the reason. One thread at a time.
  std::function<absl::StatusOr<double>()> read_joules;
  std::string name;           // "NVML's energy counter"
  double relative_error = 0;  // documented limit of the error, as a fraction; 0: not documented
  double update_seconds = 0;  // time between two updates of the counter
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DEVICE_ENERGY_SENSOR_H_
