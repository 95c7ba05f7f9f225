// Reader that converts pickles to plain values. It runs nothing: a call in a pickle becomes a value, too.
//
// A pickle is a program for a small stack machine (each opcode is documented in Python's pickletools). A dialect
// describes the files to be read: the opcodes, protocols and globals that they use. The first operation outside the
// dialect is an error. Time and memory are bounded by the size of the pickle: texts are views into it, there is no
// recursion, and the number of objects has a limit.
#ifndef LOCKSTEP_LIB_PICKLE_MACHINE_H_
#define LOCKSTEP_LIB_PICKLE_MACHINE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/pickle/dialect.h"
#include "lib/pickle/value.h"

namespace lockstep::pickle {

// Reads a pickle; the root of the result is the object that the pickle holds. DataLoss: the pickle is cut off,
// contradicts itself, or has too many objects. FailedPrecondition: an opcode, a protocol or a global outside the
// dialect.
absl::StatusOr<Objects> ReadPickle(absl::string_view pickle, const Dialect& dialect);

}  // namespace lockstep::pickle

#endif  // LOCKSTEP_LIB_PICKLE_MACHINE_H_
