// The probes: each asks the machine one thing, in a process of its own, so that what hangs or crashes in a driver or a
// library is an answer.
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
  bool with_libraries;  // is started with LibTorch's folders in its search path, which kFoldersProbe finds
};

inline constexpr char kFoldersProbe[] = "libtorch_folders";

const std::vector<Probe>& AllProbes();

// In the process of a probe: does what `name` says, and sends what it learns to the doctor. InvalidArgument: there is
// no such probe.
absl::Status RunProbe(const std::string& name, const DoctorRequest& request);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_PROBES_H_
