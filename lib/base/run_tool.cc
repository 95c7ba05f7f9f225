#include "lib/base/run_tool.h"

#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "lib/base/exit_status.h"

namespace lockstep {
namespace {

absl::Status MemoryEnded() {
  return absl::ResourceExhaustedError(
      "out of memory: an allocation failed; give smaller inputs, or raise the limit (ulimit -v, the control group's)");
}

// Returns the error of a failed system call. The user can raise a limit of the machine; any other error is a fault of
// Lockstep.
absl::Status SystemEnded(const std::system_error& error) {
  if (error.code() == std::errc::not_enough_memory) {
    return MemoryEnded();
  }
  const std::string text = absl::StrCat("a system call failed: ", error.what());
  if (error.code() == std::errc::resource_unavailable_try_again) {
    return absl::UnavailableError(
        absl::StrCat(text, "; raise the limit on processes (ulimit -u, the container's pids limit)"));
  }
  if (error.code() == std::errc::too_many_files_open || error.code() == std::errc::too_many_files_open_in_system) {
    return absl::UnavailableError(absl::StrCat(text, "; raise the limit on open files (ulimit -n)"));
  }
  return absl::InternalError(text);
}

}  // namespace

absl::Status CatchOutOfMemory(absl::FunctionRef<absl::Status()> work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return MemoryEnded();
  } catch (const std::length_error&) {
    return MemoryEnded();
  } catch (const std::system_error& error) {
    return SystemEnded(error);
  }
}

int RunTool(absl::string_view tool, absl::FunctionRef<absl::Status()> run) {
  return ExitStatus(tool, CatchOutOfMemory(run));
}

}  // namespace lockstep
