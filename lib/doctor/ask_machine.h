// Starts the probes, waits for them, and puts their answers together.
#ifndef LOCKSTEP_LIB_DOCTOR_ASK_MACHINE_H_
#define LOCKSTEP_LIB_DOCTOR_ASK_MACHINE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/doctor/examination.pb.h"
#include "lib/doctor/probes.h"

namespace lockstep {

// Starts `command` once for each probe, with --probe=NAME behind it, all at the same time; those that want LibTorch's
// folders as soon as these are known. A probe that has not answered after `timeout` is ended and has hung. Returns at
// the latest a second after that, also when a probe cannot be ended (it hangs in the kernel). Cancelled: a stop signal
// came.
absl::StatusOr<proto::MachineFacts> AskMachine(const std::vector<std::string>& command,
                                               const std::vector<Probe>& probes, absl::Duration timeout);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_ASK_MACHINE_H_
