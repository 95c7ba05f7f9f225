// Number of CPU threads that LibTorch computes with, and its limit.
//
// LibTorch's and oneDNN's kernels divide their work by the number of threads that they requested from OpenMP, and the
// threads wait for each other. If OpenMP starts fewer (OMP_THREAD_LIMIT, OMP_DYNAMIC), the threads wait for ever at
// full load, as observed with LibTorch 2.11 and libgomp on 2026-11-22.
//
// If the system refuses a thread, LibTorch's pool waits for it for ever and ignores signals (pthreadpool_create), and
// libgomp ends the process.
#ifndef LOCKSTEP_LIB_DEVICE_COMPUTE_THREADS_H_
#define LOCKSTEP_LIB_DEVICE_COMPUTE_THREADS_H_

#include <cstdint>

#include "absl/status/status.h"

namespace lockstep {

// Returns the maximum number of threads of an OpenMP team (OMP_THREAD_LIMIT).
uint32_t ComputeThreadLimit();

// Returns InvalidArgumentError if `threads` exceeds ComputeThreadLimit().
absl::Status CheckComputeThreads(uint32_t threads);

// Returns the number of threads that LibTorch computes with: its default until SetComputeThreads, limited by OpenMP.
uint32_t ComputeThreads();

// Sets the number of threads for the whole process and starts them; 0: ComputeThreads(). Must be called before anything
// is computed. Afterwards OpenMP may not start fewer. Returns the errors of CheckComputeThreads, and UnavailableError
// if the system has too few threads left.
absl::Status SetComputeThreads(uint32_t threads);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DEVICE_COMPUTE_THREADS_H_
