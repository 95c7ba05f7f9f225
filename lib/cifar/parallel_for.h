// Parallel loop over many items on all cores, with errors that do not depend on the threads.
#ifndef LOCKSTEP_LIB_CIFAR_PARALLEL_FOR_H_
#define LOCKSTEP_LIB_CIFAR_PARALLEL_FOR_H_

#include <cstddef>
#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "lib/base/progress.h"

namespace lockstep {

struct ParallelOptions {
  size_t threads = 0;  // 0: as many as this process may use
  size_t block = 16;   // number of items that a thread takes at once: few for an even load, many to take seldom
  Progress* progress = nullptr;  // updated with the number of items done, by the calling thread
};

// Returns the number of threads that ParallelFor would use for `count` items. `worker` of `work` is below this number.
size_t ParallelThreads(size_t count, const ParallelOptions& options);

// Calls work(worker, i) once for each i below `count`, in blocks; at most one call at a time has the same `worker`.
// After a failure no new block is begun, and the failure with the lowest i is returned; the threads do not affect this
// failure, because blocks are handed out in order and finished once begun. Returns CancelledError after SIGINT or
// SIGTERM. If the system cannot start more threads, those that could be started do the work, at least the calling
// thread.
absl::Status ParallelFor(size_t count, const ParallelOptions& options,
                         const std::function<absl::Status(size_t worker, size_t i)>& work);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_PARALLEL_FOR_H_
