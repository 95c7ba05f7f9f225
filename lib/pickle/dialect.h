// Whose pickles are read: what machine.h lets them do.
#ifndef LOCKSTEP_LIB_PICKLE_DIALECT_H_
#define LOCKSTEP_LIB_PICKLE_DIALECT_H_

#include <cstddef>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/pickle/opcodes.h"
#include "lib/pickle/value.h"

namespace lockstep::pickle {

struct Dialect {
  // A refusal reads "BEFOREopcode INST at byte 12AFTER".
  absl::string_view before;
  absl::string_view after;
  absl::Span<const Op> opcodes;
  int first_protocol = 0;
  int last_protocol = 0;
  absl::string_view protocols;         // the two in words, for messages: "torch.save writes 2"
  absl::Span<const Global> globals;    // empty: any may be named, called and built, and the caller judges them
  const Global* dict_class = nullptr;  // called without arguments, this makes a dict, whose state is dropped
  size_t max_objects = 0;              // also of what is remembered (PUT, MEMOIZE)
};

}  // namespace lockstep::pickle

#endif  // LOCKSTEP_LIB_PICKLE_DIALECT_H_
