#include "lib/cuda/wait_limit.h"

#include <cuda_runtime.h>

#include <map>
#include <mutex>
#include <vector>

#include "absl/strings/str_cat.h"

namespace lockstep {
namespace {

// Names of the process's launches, and the word that its GPUs write. Never freed: a kernel may write until the process
// ends.
struct Launches {
  std::mutex mutex;
  volatile uint32_t* expired = nullptr;
  std::map<std::string, uint32_t, std::less<>> number;  // numbers, starting at 1
  std::vector<std::string> name;                        // [number - 1]
};

Launches& All() {
  static auto* const launches = new Launches;
  return *launches;
}

// Allocates the word. `launches` must be locked.
absl::Status TakeMemory(Launches& launches) {
  void* memory = nullptr;
  const cudaError_t error = cudaHostAlloc(&memory, sizeof(uint32_t), cudaHostAllocPortable | cudaHostAllocMapped);
  if (error != cudaSuccess) {
    (void)cudaGetLastError();
    return absl::InternalError(
        absl::StrCat("allocating host memory for the GPU to write: CUDA: ", cudaGetErrorString(error)));
  }
  launches.expired = static_cast<volatile uint32_t*>(memory);
  *launches.expired = 0;
  return absl::OkStatus();
}

bool SharedByMps() {
  int device = 0, shared = 0;
  const bool known = cudaGetDevice(&device) == cudaSuccess &&
                     cudaDeviceGetAttribute(&shared, cudaDevAttrMpsEnabled, device) == cudaSuccess;
  (void)cudaGetLastError();  // error of a driver that does not know the attribute
  return known && shared != 0;
}

}  // namespace

absl::StatusOr<WaitReport> ReportWaits(absl::string_view launch) {
  Launches& launches = All();
  const std::lock_guard<std::mutex> lock(launches.mutex);
  if (launches.expired == nullptr) {
    const absl::Status status = TakeMemory(launches);
    if (!status.ok()) {
      return status;
    }
  }
  const auto [at, added] = launches.number.emplace(std::string(launch), launches.name.size() + 1);
  if (added) {
    launches.name.emplace_back(launch);
  }
  return WaitReport{const_cast<uint32_t*>(launches.expired), at->second};
}

std::string LaunchThatWaitedTooLong() {
  Launches& launches = All();
  const std::lock_guard<std::mutex> lock(launches.mutex);
  const uint32_t number = launches.expired == nullptr ? 0 : *launches.expired;
  return number == 0 || number > launches.name.size() ? "" : launches.name[number - 1];
}

absl::Status CheckWaits() {
  const std::string launch = LaunchThatWaitedTooLong();
  if (launch.empty()) {
    return absl::OkStatus();
  }
  return absl::DeadlineExceededError(
      absl::StrCat("the kernel of ", launch,
                   ": its blocks waited for each other for more than 8 s and gave up, because another program occupies "
                   "a part of the GPU; end that program, or disable these kernels (--nofused_batch_norm)"));
}

bool BlocksMayWaitForEachOther() { return !SharedByMps() && LaunchThatWaitedTooLong().empty(); }

}  // namespace lockstep
