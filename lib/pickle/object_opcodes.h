// Opcodes that name a Python object, call it, or give it a state: the opcodes by which a pickle could do harm. They are
// checked against the dialect and become values that describe the request; nothing is looked up or run.
#ifndef LOCKSTEP_LIB_PICKLE_OBJECT_OPCODES_H_
#define LOCKSTEP_LIB_PICKLE_OBJECT_OPCODES_H_

#include "absl/status/status.h"
#include "lib/pickle/dialect.h"
#include "lib/pickle/machine_state.h"
#include "lib/pickle/opcodes.h"
#include "lib/pickle/value.h"

namespace lockstep::pickle {

// Executes `op`, which must be GLOBAL, STACK_GLOBAL, REDUCE, NEWOBJ, NEWOBJ_EX, BUILD or BINPERSID. The keyword
// arguments of NEWOBJ_EX are dropped.
absl::Status StepObject(Op op, MachineState& state);

// Returns true if the dialect lets `call`, the result of a call, receive a state or items.
bool MayBuild(const Dialect& dialect, const Value& call);

}  // namespace lockstep::pickle

#endif  // LOCKSTEP_LIB_PICKLE_OBJECT_OPCODES_H_
