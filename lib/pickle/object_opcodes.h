// Opcodes that name a Python object, call it, or give it a state: the opcodes by which a pickle could do harm. They are
// checked against the dialect and become values that describe the request; nothing is looked up or run.
#ifndef LOCKSTEP_LIB_PICKLE_OBJECT_OPCODES_H_
#define LOCKSTEP_LIB_PICKLE_OBJECT_OPCODES_H_

#include "absl/status/status.h"
#include "lib/pickle/machine_state.h"
#include "lib/pickle/opcodes.h"

namespace lockstep::pickle {

// Executes `op`, which must be GLOBAL, STACK_GLOBAL, REDUCE, BUILD or BINPERSID.
absl::Status StepObject(Op op, MachineState& state);

}  // namespace lockstep::pickle

#endif  // LOCKSTEP_LIB_PICKLE_OBJECT_OPCODES_H_
