#include "lib/distributed_data_parallel/status_error.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "lib/distributed_data_parallel/distributed_data_parallel.h"

namespace lockstep {
namespace {

Error::Kind KindOf(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:
      return Error::Kind::kUsage;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kCancelled:
      return Error::Kind::kUnavailable;
    case absl::StatusCode::kResourceExhausted:
      return Error::Kind::kOutOfMemory;
    default:
      return Error::Kind::kInternal;
  }
}

}  // namespace

void ThrowIfError(const absl::Status& status) {
  if (!status.ok()) {
    throw Error(KindOf(status.code()), std::string(status.message()));
  }
}

}  // namespace lockstep
