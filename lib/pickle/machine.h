// Reads pickles into plain values, and runs nothing: what a pickle wants called is a value too.
//
// A pickle is a program for a small stack machine (each opcode is documented in Python's pickletools). A dialect says
// whose pickles are read: the opcodes, protocols and globals that these files use. What is outside it is refused where
// it stands. Time and memory are bounded by the size of the pickle: texts are views into it, nothing is recursed into,
// and the number of objects has a limit.
#ifndef LOCKSTEP_LIB_PICKLE_MACHINE_H_
#define LOCKSTEP_LIB_PICKLE_MACHINE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/pickle/dialect.h"
#include "lib/pickle/value.h"

namespace lockstep::pickle {

// Root is the object that the pickle holds. DataLoss: cut off, it contradicts itself, or it has too many objects.
// FailedPrecondition: an opcode, a protocol or a global outside the dialect.
absl::StatusOr<Objects> ReadPickle(absl::string_view pickle, const Dialect& dialect);

}  // namespace lockstep::pickle

#endif  // LOCKSTEP_LIB_PICKLE_MACHINE_H_
