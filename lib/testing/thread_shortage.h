// Limits on the threads of a process, as under `ulimit -u` or a container's limit on processes.
#ifndef LOCKSTEP_LIB_TESTING_THREAD_SHORTAGE_H_
#define LOCKSTEP_LIB_TESTING_THREAD_SHORTAGE_H_

#include <cstddef>
#include <functional>
#include <string>

namespace lockstep::testing {

// Returns true if the kernel has the seccomp filters that RefuseThreads needs. A test without them must skip.
bool CanRefuseThreads();

// Makes every later start of a thread fail with EAGAIN, in this process and its children; processes can still be
// started. The filter cannot be removed. Ends the process if the kernel rejects it.
void RefuseThreads();

// Limits the address space of this process to `bytes` more than now, which bounds the number of its threads by their
// stacks. Ends the process if that fails.
void LimitAddressSpace(size_t bytes);

// Runs `work` in a forked child, and returns its result. Fails the test if the child does not end with exit code 0, or
// hangs for a minute. `work` must start from a process with one thread.
std::string InChildProcess(const std::function<std::string()>& work);

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_TESTING_THREAD_SHORTAGE_H_
