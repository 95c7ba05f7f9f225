// NCCL's own settings, as Lockstep wants them when the user says nothing.
#ifndef LOCKSTEP_LIB_DIST_NCCL_ENVIRONMENT_H_
#define LOCKSTEP_LIB_DIST_NCCL_ENVIRONMENT_H_

#include <cstdlib>

namespace lockstep {

// Sets NCCL_NVLS_ENABLE=0 unless it is set: NVLink multicast stays off, because a fault in it can take a shared host's
// GPUs down. Call before NCCL is first used and before a header is made, which records NCCL_*.
inline void SetNcclEnvironment() { setenv("NCCL_NVLS_ENABLE", "0", /*overwrite=*/0); }

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_NCCL_ENVIRONMENT_H_
