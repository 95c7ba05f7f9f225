// The opcodes that name something of Python, call it, or give it a state: those by which a pickle could do harm. The
// dialect is asked, and a value made that says what was wanted; nothing is looked up or run.
#ifndef LOCKSTEP_LIB_PICKLE_OBJECT_OPCODES_H_
#define LOCKSTEP_LIB_PICKLE_OBJECT_OPCODES_H_

#include "absl/status/status.h"
#include "lib/pickle/machine_state.h"
#include "lib/pickle/opcodes.h"

namespace lockstep::pickle {

// `op`: GLOBAL, STACK_GLOBAL, REDUCE, BUILD or BINPERSID.
absl::Status StepObject(Op op, MachineState& state);

}  // namespace lockstep::pickle

#endif  // LOCKSTEP_LIB_PICKLE_OBJECT_OPCODES_H_
