// NCCL's own settings, as Lockstep wants them when the user says nothing.
#ifndef LOCKSTEP_LIB_DIST_NCCL_ENVIRONMENT_H_
#define LOCKSTEP_LIB_DIST_NCCL_ENVIRONMENT_H_

#include <cstdint>
#include <cstdlib>

namespace lockstep {

// Sets NCCL_NVLS_ENABLE=0 unless it is set: NVLink multicast stays off, because a fault in it can take a shared host's
// GPUs down. Call before NCCL is first used and before a header is made, which records NCCL_*.
inline void SetNcclEnvironment() { setenv("NCCL_NVLS_ENABLE", "0", /*overwrite=*/0); }

// Whether NCCL was told to leave the GPUs' memory to each of them: where it is broken, the user says so by this.
inline bool NcclPeersAreOff() {
  const char* asked = std::getenv("NCCL_P2P_DISABLE");
  return asked != nullptr && std::strtol(asked, nullptr, 10) != 0;
}

// The multiprocessors that NCCL may take beside the hand-written step, whose kernels leave so many: NCCL_MAX_CTAS, or 16.
inline uint32_t NcclMultiprocessors() {
  constexpr uint32_t kDefault = 16;
  const char* asked = std::getenv("NCCL_MAX_CTAS");
  const long number = asked != nullptr ? std::strtol(asked, nullptr, 10) : 0;
  return number > 0 ? static_cast<uint32_t>(number) : kDefault;
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_NCCL_ENVIRONMENT_H_
