#include "lib/device/compute_threads.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "lib/base/start_thread.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

// Returns a function of the OpenMP library that LibTorch loaded, whichever it is; null if there is none.
template <typename Function>
Function OpenMp(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

// Checks that threads for LibTorch's own pool and OpenMP's team can start. Each has one thread per part of the work,
// except for the caller's part.
absl::Status CheckBothPoolsCanStart(uint32_t threads) {
  const absl::Status status = CheckThreadsCanStart(2 * size_t{threads - 1});
  return status.ok() ? status
                     : absl::Status(status.code(), absl::StrCat("--threads=", threads, ": ", status.message(),
                                                                ", or give fewer --threads"));
}

}  // namespace

uint32_t ComputeThreadLimit() {
  const auto get = OpenMp<int (*)()>("omp_get_thread_limit");
  return get == nullptr ? std::numeric_limits<uint32_t>::max() : static_cast<uint32_t>(std::max(1, get()));
}

absl::Status CheckComputeThreads(uint32_t threads) {
  const uint32_t limit = ComputeThreadLimit();
  if (threads <= limit) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("--threads=", threads, ": OMP_THREAD_LIMIT allows ", limit,
                                                 "; raise it, or give --threads=", limit));
}

uint32_t ComputeThreads() { return std::min(static_cast<uint32_t>(at::get_num_threads()), ComputeThreadLimit()); }

absl::Status SetComputeThreads(uint32_t threads) {
  RETURN_IF_ERROR(CheckComputeThreads(threads));
  if (const auto set_dynamic = OpenMp<void (*)(int)>("omp_set_dynamic")) {
    set_dynamic(0);
  }
  const uint32_t wanted = threads > 0 ? threads : ComputeThreads();
  RETURN_IF_ERROR(CheckBothPoolsCanStart(wanted));
  at::set_num_threads(static_cast<int>(wanted));
  at::parallel_for(0, wanted, /*grain_size=*/1, [](int64_t, int64_t) {});  // starts the team while its threads are free
  return absl::OkStatus();
}

}  // namespace lockstep
