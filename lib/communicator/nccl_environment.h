// Lockstep's defaults for NCCL's environment variables.
#ifndef LOCKSTEP_LIB_COMMUNICATOR_NCCL_ENVIRONMENT_H_
#define LOCKSTEP_LIB_COMMUNICATOR_NCCL_ENVIRONMENT_H_

#include <cstdint>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "lib/base/host_identity.h"

namespace lockstep {

// Sets NCCL_NVLS_ENABLE=0 unless the variable is set: NVLink multicast stays off, because a fault in it can take a
// shared host's GPUs down. Must be called before NCCL is first used, and before a header is made, which records NCCL_*.
inline void SetNcclEnvironment() { setenv("NCCL_NVLS_ENABLE", "0", /*overwrite=*/0); }

// Returns true if NCCL_P2P_DISABLE is a number other than 0: users set it if peer access between the GPUs is broken.
inline bool NcclPeersAreOff() {
  const char* asked = std::getenv("NCCL_P2P_DISABLE");
  return asked != nullptr && std::strtol(asked, nullptr, 10) != 0;
}

// Sets NCCL_HOSTID to this process's host as NCCL must see it, so that it connects ranks with different ids by sockets:
// - an id per rank if `ranks_per_gpu` is above 1, because NCCL refuses two ranks on one GPU of a host;
// - else the virtual host (lib/base/host_identity.h), if this process is on one.
// Must be called before a communicator is made.
inline void SetNcclHostId(int rank, uint32_t ranks_per_gpu) {
  if (ranks_per_gpu > 1) {
    setenv("NCCL_HOSTID", absl::StrCat("lockstep-", rank).c_str(), /*overwrite=*/1);
  } else if (VirtualHost().has_value()) {
    setenv("NCCL_HOSTID", absl::StrCat("lockstep-host-", *VirtualHost()).c_str(), /*overwrite=*/1);
  }
}

// Returns the number of SMs that NCCL may use while the fused step runs: NCCL_MAX_CTAS, or 16. The step's
// kernels leave these SMs free.
inline uint32_t NcclMultiprocessors() {
  constexpr uint32_t kDefault = 16;
  const char* asked = std::getenv("NCCL_MAX_CTAS");
  const long number = asked != nullptr ? std::strtol(asked, nullptr, 10) : 0;
  return number > 0 ? static_cast<uint32_t>(number) : kDefault;
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMMUNICATOR_NCCL_ENVIRONMENT_H_
