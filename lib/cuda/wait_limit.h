// Time limit for launches whose blocks wait for each other.
//
// These launches need all their blocks to run at once. This cannot be guaranteed if another program occupies
// multiprocessors (NVIDIA MPS) or the GPU is partitioned. Therefore their waits have a limit by the GPU's clock. Past
// the limit, the launch ends with an unfinished result and reports it in a word of host memory. Waits inside a block or
// a cluster have no limit: the hardware runs a block or a cluster as a whole, so these waits end if the program is
// correct, and reading the clock there cost 12 % of an epoch at batch 32 (benchmarks/results/README.md,
// 2026-11-22-h200-shared). If such a wait does not end, lib/base/stall_watch.h ends the process.
#ifndef LOCKSTEP_LIB_CUDA_WAIT_LIMIT_H_
#define LOCKSTEP_LIB_CUDA_WAIT_LIMIT_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/cuda/wait_report.h"

namespace lockstep {

// Returns the report for a launch with this description ("3x3 convolution ... of 32 images"). The memory is allocated
// at the process's first call, which must not be made during a stream capture. Returns InternalError if CUDA provides
// no memory. All functions of this header are thread-safe.
absl::StatusOr<WaitReport> ReportWaits(absl::string_view launch);

// Returns the description of the first launch since the process began that waited past the limit; empty if no launch
// did.
std::string LaunchThatWaitedTooLong();

// Returns DeadlineExceededError if a launch has waited past the limit; its result, and everything computed from it, is
// then invalid.
absl::Status CheckWaits();

// Returns whether blocks of a launch may wait for each other: no other process runs kernels at the same time on the
// current device (NVIDIA MPS), and no launch has waited past the limit so far.
bool BlocksMayWaitForEachOther();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CUDA_WAIT_LIMIT_H_
