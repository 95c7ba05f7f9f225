// Flags of quantize.
#ifndef LOCKSTEP_TOOLS_QUANTIZE_FLAGS_H_
#define LOCKSTEP_TOOLS_QUANTIZE_FLAGS_H_

#include <string>

#include "absl/flags/declare.h"
#include "absl/status/statusor.h"
#include "lib/quantize/quantize_options.h"

ABSL_DECLARE_FLAG(std::string, verify);

namespace lockstep {

// Returns the options on the command line. InvalidArgument, naming the flag: an invalid value, or a flag that has no
// effect together with the others.
absl::StatusOr<QuantizeOptions> QuantizeOptionsFromFlags();

}  // namespace lockstep

#endif  // LOCKSTEP_TOOLS_QUANTIZE_FLAGS_H_
