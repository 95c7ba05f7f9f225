// Time of an all-reduce of one size with nothing else running, measured like nccl-tests does.
#ifndef LOCKSTEP_LIB_COMMUNICATOR_ALL_REDUCE_PROBE_H_
#define LOCKSTEP_LIB_COMMUNICATOR_ALL_REDUCE_PROBE_H_

#include <c10/core/Device.h>

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/communicator/communicator.h"

namespace lockstep {

struct ProbeOptions {
  uint64_t size_bytes = 0;  // must be a multiple of 4
  int warmup = 5;           // untimed operations before the timed ones; at least 1
  int repeats = 20;         // timed operations: nccl-tests' default (-n)
};

// Returns the seconds of each timed operation on this rank, in order: from the end of the previous operation to its own
// end. The operations run back to back, so that the ranks enter each one together without a barrier, which would cost
// as much. All ranks must call it. InvalidArgument: no size, or no warm-up. Other errors are those of the communicator.
absl::StatusOr<std::vector<double>> ProbeAllReduce(Communicator& communicator, c10::Device device,
                                                   const ProbeOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMMUNICATOR_ALL_REDUCE_PROBE_H_
