// Communicator for ranks on the CPUs of one host, through shared memory (lib/peer) instead of Gloo over TCP.
#ifndef LOCKSTEP_LIB_COMMUNICATOR_SHARED_MEMORY_COMMUNICATOR_H_
#define LOCKSTEP_LIB_COMMUNICATOR_SHARED_MEMORY_COMMUNICATOR_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/communicator/communicator.h"

namespace lockstep {

// Makes a communicator with the name "shared_memory". It sums fp32, bf16 and fp64 in rank order; bf16 is added in fp32
// and rounded once. FailedPrecondition: the ranks cannot share memory; all ranks get the same message and can use Gloo
// instead. Other errors are those of the store.
absl::StatusOr<std::unique_ptr<Communicator>> MakeSharedMemoryCommunicator(Store& store, int rank, int size,
                                                                           absl::Duration timeout);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMMUNICATOR_SHARED_MEMORY_COMMUNICATOR_H_
