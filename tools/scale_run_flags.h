// Flags of scale_run.
#ifndef LOCKSTEP_TOOLS_SCALE_RUN_FLAGS_H_
#define LOCKSTEP_TOOLS_SCALE_RUN_FLAGS_H_

#include <cstdint>
#include <string>

#include "absl/flags/declare.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/scale_run/scale_run_options.h"

ABSL_DECLARE_FLAG(std::string, launcher);
ABSL_DECLARE_FLAG(std::string, master_addr);
ABSL_DECLARE_FLAG(uint32_t, master_port);
ABSL_DECLARE_FLAG(std::string, interface);
ABSL_DECLARE_FLAG(absl::Duration, timeout);

namespace lockstep {

// Returns the options on the command line. InvalidArgument, naming the flag: an invalid value, or a flag that has no
// effect together with the others.
absl::StatusOr<ScaleRunOptions> ScaleRunOptionsFromFlags();

}  // namespace lockstep

#endif  // LOCKSTEP_TOOLS_SCALE_RUN_FLAGS_H_
