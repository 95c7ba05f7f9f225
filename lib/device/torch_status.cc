#include "lib/device/torch_status.h"

#include <c10/util/Exception.h>

#include <new>
#include <string>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/run_tool.h"

namespace lockstep {
namespace {

// Returns the first line, which names the error. LibTorch's messages continue for many lines (hints, backtraces). Of an
// error inside of a TorchScript module, the last line has the reason, after the lines of Python that led to it.
std::string FirstLine(absl::string_view message) {
  if (absl::StartsWith(message, "The following operation failed in the TorchScript interpreter")) {
    message = absl::StripTrailingAsciiWhitespace(message);
    return std::string(message.substr(message.rfind('\n') + 1));
  }
  return std::string(message.substr(0, message.find('\n')));
}

absl::Status FromMessage(absl::string_view doing, absl::string_view message) {
  const std::string text = absl::StrCat(doing, ": ", FirstLine(message));
  return IsOutOfMemoryMessage(message) ? absl::ResourceExhaustedError(text) : absl::InternalError(text);
}

// Returns the status for threads or descriptors that LibTorch did not get. Must be called in a handler of
// std::system_error.
absl::Status FromSystemError(absl::string_view doing) {
  const absl::Status status = CatchOutOfMemory([]() -> absl::Status { throw; });
  return absl::Status(status.code(), absl::StrCat(doing, ": ", status.message()));
}

}  // namespace

bool IsOutOfMemoryMessage(absl::string_view message) {
  const std::string lower = absl::AsciiStrToLower(message);
  // Sources: c10/core/impl/alloc_cpu.cpp; CUDA's cudaGetErrorString(cudaErrorMemoryAllocation); names of cublasStatus_t
  // and cudnnStatus_t; oneDNN's dnnl_out_of_memory, printed by its C++ wrapper and LibTorch.
  for (const absl::string_view words :
       {"not enough memory", "allocate memory", "out of memory", "cublas_status_alloc_failed",
        "cudnn_status_alloc_failed", "out_of_memory", "bad_alloc"}) {
    if (absl::StrContains(lower, words)) {
      return true;
    }
  }
  return false;
}

absl::Status CatchTorchErrors(absl::string_view doing, const std::function<absl::Status()>& body) {
  try {
    return body();
  } catch (const c10::OutOfMemoryError& error) {
    return absl::ResourceExhaustedError(absl::StrCat(doing, ": ", FirstLine(error.what_without_backtrace())));
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError(absl::StrCat(doing, ": memory could not be allocated (std::bad_alloc)"));
  } catch (const c10::Error& error) {
    return FromMessage(doing, error.what_without_backtrace());
  } catch (const std::system_error&) {
    return FromSystemError(doing);
  } catch (const std::exception& error) {
    return FromMessage(doing, error.what());
  } catch (...) {
    return absl::InternalError(absl::StrCat(doing, ": an exception of an unknown type"));
  }
}

}  // namespace lockstep
