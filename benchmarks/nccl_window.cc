#include "benchmarks/nccl_window.h"

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/communicator/nccl_environment.h"

namespace lockstep {
namespace {

// Version whose headers and library are needed: 2.27.3 was the first release with windows.
#define LOCKSTEP_HAS_NCCL_WINDOWS (NCCL_VERSION_CODE >= NCCL_VERSION(2, 27, 3))
constexpr int kFirstVersion = NCCL_VERSION(2, 27, 3);

// Returns true if the variable is the number 0, by which users switch a feature of NCCL off.
bool IsOff(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0' && std::strtol(value, nullptr, 10) == 0;
}

}  // namespace

// NCCL's own condition is comm->symmetricSupport (src/init.cc): peer access between all ranks, NCCL_WIN_ENABLE,
// NCCL_CUMEM_ENABLE, and a driver that shares memory by handles. DeviceAllReduce needs the same of GPUs and driver.
std::string WhyNoNcclWindow(int hosts, uint32_t ranks_per_gpu) {
  int version = 0;
  if (!LOCKSTEP_HAS_NCCL_WINDOWS || ncclGetVersion(&version) != ncclSuccess || version < kFirstVersion) {
    return absl::StrCat("needs NCCL 2.27.3 or newer, found ", version != 0 ? version : NCCL_VERSION_CODE);
  }
  if (hosts > 1) {
    return absl::StrCat("the ranks are on ", hosts, " hosts");
  }
  if (ranks_per_gpu > 1) {
    return "ranks share a GPU, so NCCL connects them by sockets";
  }
  if (NcclPeersAreOff()) {
    return "NCCL_P2P_DISABLE is set";
  }
  for (const char* const name : {"NCCL_WIN_ENABLE", "NCCL_CUMEM_ENABLE"}) {
    if (IsOff(name)) {
      return absl::StrCat(name, " is 0");
    }
  }
  return "";
}

#if LOCKSTEP_HAS_NCCL_WINDOWS
absl::StatusOr<std::unique_ptr<NcclWindow>> NcclWindow::Make(NcclGroup& group, size_t bytes) {
  std::unique_ptr<NcclWindow> made(new NcclWindow(group));
  void* data = nullptr;
  if (const ncclResult_t result = ncclMemAlloc(&data, bytes); result != ncclSuccess) {
    return absl::ResourceExhaustedError(
        absl::StrCat("ncclMemAlloc of ", bytes, " bytes: ", ncclGetErrorString(result)));
  }
  made->data_ = static_cast<uint8_t*>(data);
  ncclWindow_t window = nullptr;
  const ncclResult_t begun =
      ncclCommWindowRegister(group.communicator(), data, bytes, &window, NCCL_WIN_COLL_SYMMETRIC);
  // For a non-blocking communicator, ncclSuccess means only that the registration has begun (src/dev_runtime.cc of NCCL
  // 2.28.9), so the communicator is always asked.
  RETURN_IF_ERROR(group.Settle(begun == ncclSuccess ? ncclInProgress : begun, "window"));
  made->window_ = window;
  if (window == nullptr) {
    return absl::UnavailableError("ncclCommWindowRegister returned no window");
  }
  return made;
}

NcclWindow::~NcclWindow() {
  if (window_ != nullptr) {
    (void)ncclCommWindowDeregister(group_.communicator(), static_cast<ncclWindow_t>(window_));
  }
  if (data_ != nullptr) {
    (void)ncclMemFree(data_);
  }
}
#else
absl::StatusOr<std::unique_ptr<NcclWindow>> NcclWindow::Make(NcclGroup&, size_t) {
  return absl::UnavailableError(WhyNoNcclWindow(1, 1));
}

NcclWindow::~NcclWindow() = default;
#endif

}  // namespace lockstep
