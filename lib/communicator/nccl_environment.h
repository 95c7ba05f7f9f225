// Lockstep's defaults for NCCL's environment variables.
#ifndef LOCKSTEP_LIB_COMMUNICATOR_NCCL_ENVIRONMENT_H_
#define LOCKSTEP_LIB_COMMUNICATOR_NCCL_ENVIRONMENT_H_

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

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
// - if `ranks_per_gpu` is above 1, an id for each set of `gpus` consecutive ranks, which have different GPUs, because
//   NCCL refuses two ranks on one GPU of a host; and on virtual hosts one for each of them (lib/base/host_identity.h);
// - else the virtual host, if this process is on one.
// Must be called before a communicator is made. `gpus` must not be 0 if `ranks_per_gpu` is above 1.
inline void SetNcclHostId(int rank, uint32_t ranks_per_gpu, uint32_t gpus) {
  const std::optional<int> host = VirtualHost();
  if (ranks_per_gpu <= 1 && !host.has_value()) {
    return;
  }
  const std::string of_host = host.has_value() ? absl::StrCat("-host-", *host) : "";
  const std::string of_set = ranks_per_gpu > 1 ? absl::StrCat("-set-", rank / static_cast<int>(gpus)) : "";
  setenv("NCCL_HOSTID", absl::StrCat("lockstep", of_host, of_set).c_str(), /*overwrite=*/1);
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
