// How many CPU threads LibTorch computes with, and how many it can.
//
// LibTorch's and oneDNN's kernels cut their work into as many parts as they asked OpenMP for threads, and the threads
// wait for each other. Where OpenMP gives fewer (OMP_THREAD_LIMIT, OMP_DYNAMIC), they wait for ever, at full load: on
// LibTorch 2.11 with libgomp, 2026-11-22.
//
// LibTorch's pool waits for ever for a thread that the system refused (pthreadpool_create), deaf to signals, and libgomp
// ends the process.
#ifndef LOCKSTEP_LIB_DEVICE_COMPUTE_THREADS_H_
#define LOCKSTEP_LIB_DEVICE_COMPUTE_THREADS_H_

#include <cstdint>

#include "absl/status/status.h"

namespace lockstep {

// The threads that OpenMP gives a team at most (OMP_THREAD_LIMIT).
uint32_t ComputeThreadLimit();

// InvalidArgument: more than that.
absl::Status CheckComputeThreads(uint32_t threads);

// The threads that LibTorch computes with: its default until SetComputeThreads, but no more than OpenMP gives.
uint32_t ComputeThreads();

// For the whole process, before anything is computed; 0: ComputeThreads(). OpenMP may give no fewer from now on. Starts
// the threads. Errors are those of CheckComputeThreads, and Unavailable if the system has too few threads left.
absl::Status SetComputeThreads(uint32_t threads);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DEVICE_COMPUTE_THREADS_H_
