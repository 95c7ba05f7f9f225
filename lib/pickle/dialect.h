// Dialect of pickles: the operations that machine.h accepts, according to the files to be read.
#ifndef LOCKSTEP_LIB_PICKLE_DIALECT_H_
#define LOCKSTEP_LIB_PICKLE_DIALECT_H_

#include <cstddef>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/pickle/opcodes.h"
#include "lib/pickle/value.h"

namespace lockstep::pickle {

struct Dialect {
  // Text around an error: "BEFOREopcode INST at byte 12AFTER".
  absl::string_view before;
  absl::string_view after;
  absl::Span<const Op> opcodes;
  int first_protocol = 0;
  int last_protocol = 0;
  absl::string_view protocols;         // description of the two limits for messages: "torch.save writes 2"
  absl::Span<const Global> globals;    // accepted globals; empty: any global may be named, called and built, and the
                                       // caller must check them
  const Global* dict_class = nullptr;  // callable that without arguments makes a dict, whose state is dropped
  size_t max_objects = 0;              // limit on objects, on entries of the memo (PUT, MEMOIZE), and of the stack
};

}  // namespace lockstep::pickle

#endif  // LOCKSTEP_LIB_PICKLE_DIALECT_H_
