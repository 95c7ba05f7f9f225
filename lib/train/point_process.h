// Runs a point of a sweep in its own process, so that a point that runs out of memory does not end the sweep.
#ifndef LOCKSTEP_LIB_TRAIN_POINT_PROCESS_H_
#define LOCKSTEP_LIB_TRAIN_POINT_PROCESS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

// Runs `argv`, which must write a serialized SweepFile of one point (and perhaps a checkpoint) to kResultFd and exit
// with 0 (RunSweepPoint). `memory_limit_bytes` bounds its heap and private mappings; 0: no bound.
//
// Returns a point with the reason if there is no result: KILLED if the kernel killed the process for memory, FAILED if
// the process exited. Errors:
// - Unavailable: another signal ended the process, so nothing is known about the point.
// - Cancelled: this process received a stop signal.
// - Internal: the process could not be started.
absl::StatusOr<proto::SweepFile> RunPointProcess(const std::vector<std::string>& argv, uint64_t memory_limit_bytes,
                                                 uint32_t batch_size);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_POINT_PROCESS_H_
