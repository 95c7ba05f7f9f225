// A point of a sweep in a process of its own, so that a point that runs out of memory does not end the sweep.
#ifndef LOCKSTEP_LIB_TRAIN_POINT_PROCESS_H_
#define LOCKSTEP_LIB_TRAIN_POINT_PROCESS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

// Runs `argv`, which writes a serialized SweepFile of one point (and perhaps a checkpoint) to kResultFd and exits with
// 0 (RunSweepPoint). `memory_limit_bytes` bounds its heap and private mappings; 0: no bound.
//
// A process that the kernel killed for memory gives a point KILLED; one that exited without a result, FAILED; both say
// how. Unavailable: another signal ended it, which says nothing of the point. Cancelled: this process was told to stop.
// Internal: the process could not be started.
absl::StatusOr<proto::SweepFile> RunPointProcess(const std::vector<std::string>& argv, uint64_t memory_limit_bytes,
                                                 uint32_t batch_size);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_POINT_PROCESS_H_
