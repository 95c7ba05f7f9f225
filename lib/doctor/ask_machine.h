// Starts the probes, waits for them, and merges their answers.
#ifndef LOCKSTEP_LIB_DOCTOR_ASK_MACHINE_H_
#define LOCKSTEP_LIB_DOCTOR_ASK_MACHINE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/doctor/examination.pb.h"
#include "lib/doctor/probes.h"

namespace lockstep {

// Starts `command` once for each probe, with --probe=NAME appended, all at the same time; probes that need LibTorch's
// folders start as soon as these are known. A probe that has not answered after `timeout` is ended, and counts as hung.
// Returns at most a second later, even if a probe cannot be ended (it hangs in the kernel). Returns CancelledError
// after a stop signal.
absl::StatusOr<proto::MachineFacts> AskMachine(const std::vector<std::string>& command,
                                               const std::vector<Probe>& probes, absl::Duration timeout);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_ASK_MACHINE_H_
