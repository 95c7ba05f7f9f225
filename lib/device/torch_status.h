// The boundary at which LibTorch's exceptions become an absl::Status: none may pass it.
#ifndef LOCKSTEP_LIB_DEVICE_TORCH_STATUS_H_
#define LOCKSTEP_LIB_DEVICE_TORCH_STATUS_H_

#include <functional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Calls `body` and returns its status. What it throws becomes a status whose one-line message begins with `doing` ("a
// training step at batch 32"):
//   ResourceExhausted  memory ran out: c10::OutOfMemoryError, std::bad_alloc, or an error that says so in the words of
//                      LibTorch's CPU allocator, CUDA, cuDNN, cuBLAS or oneDNN
//   Unavailable        threads or open files ran out: std::system_error, as CatchMemoryEnd (lib/base/run_tool.h) reads it
//   Internal           anything else
// `body` may return its own errors through the status, and leaves nothing behind that it cannot throw away.
absl::Status CatchTorchErrors(absl::string_view doing, const std::function<absl::Status()>& body);

// Whether an exception's message says that memory ran out. For tests.
bool SaysOutOfMemory(absl::string_view message);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DEVICE_TORCH_STATUS_H_
