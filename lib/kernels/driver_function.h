// Functions of the CUDA driver that is loaded anyway, so that no program need link to it.
#ifndef LOCKSTEP_LIB_KERNELS_DRIVER_FUNCTION_H_
#define LOCKSTEP_LIB_KERNELS_DRIVER_FUNCTION_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// As CUDA 12.0 has it; null: the driver has none. An error is CUDA's, behind `doing`.
absl::StatusOr<void*> FindDriverFunction(const char* name, absl::string_view doing);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_DRIVER_FUNCTION_H_
