// Processors of a thread.
#ifndef LOCKSTEP_LIB_BASE_PROCESSORS_H_
#define LOCKSTEP_LIB_BASE_PROCESSORS_H_

namespace lockstep {

// Returns the number of processors on which the calling thread may run; at least 1.
int OwnProcessors();

// Moves the calling thread to another of its processors, if there is one. Its affinity stays the same, so the kernel
// may move it back.
void LeaveProcessor(int processor);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_PROCESSORS_H_
