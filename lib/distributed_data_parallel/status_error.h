// Conversion of the statuses of Lockstep's libraries to the exceptions of the public header.
#ifndef LOCKSTEP_LIB_DISTRIBUTED_DATA_PARALLEL_STATUS_ERROR_H_
#define LOCKSTEP_LIB_DISTRIBUTED_DATA_PARALLEL_STATUS_ERROR_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lockstep {

// Throws the Error for `status`, if it is an error.
void ThrowIfError(const absl::Status& status);

// Returns the value, or throws like ThrowIfError.
template <typename T>
T ValueOrThrow(absl::StatusOr<T> value) {
  ThrowIfError(value.status());
  return *std::move(value);
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DISTRIBUTED_DATA_PARALLEL_STATUS_ERROR_H_
