// LibTorch and Gloo report by exceptions, Lockstep by absl::Status: this is where one becomes the other.
#ifndef LOCKSTEP_LIB_DIST_TORCH_STATUS_H_
#define LOCKSTEP_LIB_DIST_TORCH_STATUS_H_

#include <exception>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// What a caught exception means: memory ran out is ResourceExhausted; anything else gets `otherwise`, because only the
// caller knows whether it was talking to other ranks (Unavailable) or computing (Internal). The message is
// "WHAT: first line of the exception".
absl::Status StatusOfException(const std::exception& exception, absl::string_view what, absl::StatusCode otherwise);

// Runs `function` (returning nothing) and returns OK, or what its exception means.
template <typename Function>
absl::Status CatchTorch(absl::string_view what, absl::StatusCode otherwise, Function&& function) {
  try {
    std::forward<Function>(function)();
    return absl::OkStatus();
  } catch (const std::exception& exception) {
    return StatusOfException(exception, what, otherwise);
  }
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_TORCH_STATUS_H_
