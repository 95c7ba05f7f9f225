// Lockstep's defaults for NCCL's environment variables.
#ifndef LOCKSTEP_LIB_COMMUNICATOR_NCCL_ENVIRONMENT_H_
#define LOCKSTEP_LIB_COMMUNICATOR_NCCL_ENVIRONMENT_H_

#include <cstdint>
#include <cstdlib>

namespace lockstep {

// Sets NCCL_NVLS_ENABLE=0 unless the variable is set: NVLink multicast stays off, because a fault in it can take a
// shared host's GPUs down. Must be called before NCCL is first used, and before a header is made, which records NCCL_*.
inline void SetNcclEnvironment() { setenv("NCCL_NVLS_ENABLE", "0", /*overwrite=*/0); }

// Returns true if NCCL_P2P_DISABLE is a number other than 0: users set it if peer access between the GPUs is broken.
inline bool NcclPeersAreOff() {
  const char* asked = std::getenv("NCCL_P2P_DISABLE");
  return asked != nullptr && std::strtol(asked, nullptr, 10) != 0;
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
