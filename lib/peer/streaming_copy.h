// Copy that bypasses the caches: the destination is written to memory without being read first. For large data that is
// not read again soon, this needs two thirds of memcpy's memory traffic.
#ifndef LOCKSTEP_LIB_PEER_STREAMING_COPY_H_
#define LOCKSTEP_LIB_PEER_STREAMING_COPY_H_

#include <cstddef>

namespace lockstep {

// Copies like memcpy. As after memcpy, the written bytes are visible to a thread that the caller signals afterwards.
void StreamingCopy(void* to, const void* from, size_t bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_STREAMING_COPY_H_
