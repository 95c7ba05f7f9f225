// Largest number of GPUs of a host that exchange gradients through each other's memory. Independent of CUDA, so that a
// run can be planned without it.
#ifndef LOCKSTEP_LIB_COLLECTIVES_MAX_PEER_RANKS_H_
#define LOCKSTEP_LIB_COLLECTIVES_MAX_PEER_RANKS_H_

#include <cstdint>

namespace lockstep {

inline constexpr uint32_t kMaxPeerRanks = 16;

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COLLECTIVES_MAX_PEER_RANKS_H_
