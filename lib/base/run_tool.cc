#include "lib/base/run_tool.h"

#include <new>
#include <stdexcept>

#include "lib/base/exit_status.h"

namespace lockstep {
namespace {

absl::Status MemoryEnded() {
  return absl::ResourceExhaustedError(
      "memory ran out: expected enough for the inputs, found that an allocation failed; give smaller inputs, or lift "
      "the "
      "limit (ulimit -v, the control group's)");
}

}  // namespace

absl::Status CatchMemoryEnd(absl::FunctionRef<absl::Status()> work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return MemoryEnded();
  } catch (const std::length_error&) {
    return MemoryEnded();
  }
}

int RunTool(absl::string_view tool, absl::FunctionRef<absl::Status()> run) {
  return ExitStatus(tool, CatchMemoryEnd(run));
}

}  // namespace lockstep
