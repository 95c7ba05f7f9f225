// The flags of quantize.
#ifndef LOCKSTEP_TOOLS_QUANTIZE_FLAGS_H_
#define LOCKSTEP_TOOLS_QUANTIZE_FLAGS_H_

#include <string>

#include "absl/flags/declare.h"
#include "absl/status/statusor.h"
#include "lib/quantize/quantize_options.h"

ABSL_DECLARE_FLAG(std::string, verify);

namespace lockstep {

// What the command line asks for. InvalidArgument: a flag by its name, also one that has no effect next to the others.
absl::StatusOr<QuantizeOptions> QuantizeOptionsFromFlags();

}  // namespace lockstep

#endif  // LOCKSTEP_TOOLS_QUANTIZE_FLAGS_H_
