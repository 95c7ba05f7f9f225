// The signal state that a process inherits from its parent.
//
// An ignored or blocked signal survives fork and exec. A parent that ignores SIGCHLD makes the kernel discard the exit
// status of every child, so that waitpid(2) finds no child. A SIGTERM that the parent blocks does not end its children.
#ifndef LOCKSTEP_LIB_BASE_INHERITED_SIGNALS_H_
#define LOCKSTEP_LIB_BASE_INHERITED_SIGNALS_H_

namespace lockstep {

// Gives SIGCHLD its default action, and unblocks SIGCHLD, SIGHUP, SIGINT and SIGTERM in the calling thread. Ignored
// SIGHUP and SIGINT stay ignored, as nohup and the shell's `&` intend. Async-signal-safe, so it may run between fork
// and exec.
void ResetInheritedSignals();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_INHERITED_SIGNALS_H_
