// Functions of the loaded CUDA driver, looked up at run time, so that no program needs to link to it.
#ifndef LOCKSTEP_LIB_CUDA_DRIVER_FUNCTION_H_
#define LOCKSTEP_LIB_CUDA_DRIVER_FUNCTION_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Returns the function in its CUDA 12.0 version, or null if the driver does not have it. Returns CUDA's error, prefixed
// by `doing`.
absl::StatusOr<void*> FindDriverFunction(const char* name, absl::string_view doing);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CUDA_DRIVER_FUNCTION_H_
