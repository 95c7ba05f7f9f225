// Launches whose blocks wait for each other do not wait for ever.
//
// They want all their blocks at work at once, which nobody can promise where another program takes places (NVIDIA MPS)
// or the GPU is a part of one. So their waits have a limit by the GPU's clock; past it the launch ends, its result
// unfinished, and says so in a word of host memory. Waits inside a block or a cluster have none: the hardware runs it as a
// whole, so that they end as long as the program is right, and looking at the clock there cost 12 % of an epoch at batch
// 32 (benchmarks/results/README.md, 2026-11-22-h200-shared). Should one not end, lib/base/stall_watch.h ends the process.
#ifndef LOCKSTEP_LIB_KERNELS_WAIT_LIMIT_H_
#define LOCKSTEP_LIB_KERNELS_WAIT_LIMIT_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/kernels/wait_report.h"

namespace lockstep {

// For a launch described so ("3x3 convolution ... of 32 images"). The memory is taken at the process's first call,
// which must not be within a stream capture. Internal: CUDA gives no memory. Thread-safe, as all here.
absl::StatusOr<WaitReport> ReportWaits(absl::string_view launch);

// Which launch has waited past the limit since the process began, the first if there were several; empty: none has.
std::string LaunchThatWaitedTooLong();

// DeadlineExceeded: some launch has waited past the limit; what it computed, and all that came of it, is worth nothing.
absl::Status CheckWaits();

// Whether blocks of a launch may wait for each other: no other process runs kernels beside ours on the current device
// (NVIDIA MPS), and no launch has waited past the limit so far.
bool BlocksMayWaitForEachOther();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_WAIT_LIMIT_H_
