// The probes. Each probe examines one aspect of the machine in its own process, so that a hang or a crash in a driver
// or a library becomes a result.
#ifndef LOCKSTEP_LIB_DOCTOR_PROBES_H_
#define LOCKSTEP_LIB_DOCTOR_PROBES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/doctor/answer.h"
#include "lib/doctor/request.h"

namespace lockstep {

struct Probe {
  const char* name;
  void (*ask)(const DoctorRequest& request, ProbeAnswer& answer);
  bool with_libraries = false;  // true: needs LibTorch's folders in its search path, which kFoldersProbe finds
};

inline constexpr char kFoldersProbe[] = "libtorch_folders";

const std::vector<Probe>& AllProbes();

// Runs the probe `name` in its own process, and sends its facts to the doctor. Returns InvalidArgumentError if there is
// no such probe.
absl::Status RunProbe(const std::string& name, const DoctorRequest& request);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_PROBES_H_
