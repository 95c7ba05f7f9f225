// A communicator of the ranks of one host on CPUs, through memory that they share (lib/peer), in place of Gloo over TCP.
#ifndef LOCKSTEP_LIB_DIST_SHARED_MEMORY_COMMUNICATOR_H_
#define LOCKSTEP_LIB_DIST_SHARED_MEMORY_COMMUNICATOR_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/dist/communicator.h"

namespace lockstep {

// Its name is "shared_memory". It sums fp32, bf16 and fp64 in the order of ranks; a sum of bf16 is added in fp32 and rounded
// once. FailedPrecondition: the ranks cannot share memory; all get the same line, and can go on with Gloo. Other errors are
// those of the store.
absl::StatusOr<std::unique_ptr<Communicator>> MakeSharedMemoryCommunicator(Store& store, int rank, int size,
                                                                           absl::Duration timeout);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_SHARED_MEMORY_COMMUNICATOR_H_
