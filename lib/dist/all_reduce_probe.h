// The time of an all-reduce of one size with nothing else going on, as nccl-tests measures it.
#ifndef LOCKSTEP_LIB_DIST_ALL_REDUCE_PROBE_H_
#define LOCKSTEP_LIB_DIST_ALL_REDUCE_PROBE_H_

#include <c10/core/Device.h>

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/dist/communicator.h"

namespace lockstep {

struct ProbeOptions {
  uint64_t size_bytes = 0;  // a multiple of 4
  int warmup = 5;           // untimed operations before; at least 1
  int repeats = 20;         // timed operations: nccl-tests' default (-n)
};

// Called by all ranks. Seconds of each timed operation on this rank, in order: from the end of the operation before to its
// own end. Back to back, so that the ranks enter each operation together without a barrier that would cost as much.
// InvalidArgument: no size, or no warm-up. Other errors are the communicator's.
absl::StatusOr<std::vector<double>> ProbeAllReduce(Communicator& communicator, c10::Device device,
                                                   const ProbeOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_ALL_REDUCE_PROBE_H_
