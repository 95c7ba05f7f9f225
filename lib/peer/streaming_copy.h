// A copy that leaves the caches to others: what it writes goes to memory without being read first, so that much that is not
// read again soon costs two thirds of memcpy's traffic.
#ifndef LOCKSTEP_LIB_PEER_STREAMING_COPY_H_
#define LOCKSTEP_LIB_PEER_STREAMING_COPY_H_

#include <cstddef>

namespace lockstep {

// As memcpy. What was written is there for whoever the caller then tells, as behind memcpy.
void StreamingCopy(void* to, const void* from, size_t bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_STREAMING_COPY_H_
