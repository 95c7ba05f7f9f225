// The processors that a thread may run on.
#ifndef LOCKSTEP_LIB_PEER_PROCESSORS_H_
#define LOCKSTEP_LIB_PEER_PROCESSORS_H_

namespace lockstep {

// How many processors the calling thread may run on; at least 1.
int OwnProcessors();

// Moves the calling thread to another processor that it may run on, where there is one. What it may run on stays as it is,
// and the kernel may move it back.
void LeaveProcessor(int processor);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_PROCESSORS_H_
