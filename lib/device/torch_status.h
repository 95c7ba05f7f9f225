// Boundary at which LibTorch's exceptions become an absl::Status; no exception passes it.
#ifndef LOCKSTEP_LIB_DEVICE_TORCH_STATUS_H_
#define LOCKSTEP_LIB_DEVICE_TORCH_STATUS_H_

#include <functional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Calls `body` and returns its status. An exception becomes a status whose one-line message begins with `doing` ("a
// training step at batch 32"):
//   ResourceExhausted  memory ran out: c10::OutOfMemoryError, std::bad_alloc, or an error with the message of
//                      LibTorch's CPU allocator, CUDA, cuDNN, cuBLAS or oneDNN for this
//   Unavailable        threads or open files ran out: std::system_error, read as in CatchOutOfMemory
//                      (lib/base/run_tool.h)
//   Internal           anything else
// `body` may return its own errors through the status. After an exception, all that it has changed must be safe to
// discard.
absl::Status CatchTorchErrors(absl::string_view doing, const std::function<absl::Status()>& body);

// Returns true if an exception's message reports that memory ran out. For tests.
bool IsOutOfMemoryMessage(absl::string_view message);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DEVICE_TORCH_STATUS_H_
