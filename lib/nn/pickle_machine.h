// Reads the pickles that torch.save writes into plain values, and runs nothing: what a pickle wants called is a value too.
//
// Opcodes of protocol 2 as far as state dicts use them; each is documented in Python's pickletools.
#ifndef LOCKSTEP_LIB_NN_PICKLE_MACHINE_H_
#define LOCKSTEP_LIB_NN_PICKLE_MACHINE_H_

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep::pickle {

// One object of a pickle. Objects may hold one another, even in a circle: none owns another.
struct Value {
  enum Kind {
    kMarkKind,    // of the machine itself
    kNothing,     // None
    kBool,        // number
    kInt,         // number
    kString,      // text
    kGlobalName,  // text: "module name"
    kTupleKind,   // items
    kList,        // always empty: no list in a state dict holds anything
    kDict,        // items: key, value, key, value ...; an OrderedDict likewise
    kPersistent,  // items: the one object that is its id
    kCall,        // text: what is to be called, "module name"; items: its arguments
  };
  Kind kind = kNothing;
  int64_t number = 0;
  std::string text;
  std::vector<const Value*> items;
};

// All objects of a pickle.
struct Objects {
  std::deque<Value> all;  // a deque never moves what it holds
  const Value* root = nullptr;
};

// Root is the object that the pickle holds. DataLoss: cut off, or it contradicts itself. FailedPrecondition: an opcode or a protocol
// that torch.save does not use for state dicts.
absl::StatusOr<Objects> ReadPickle(absl::string_view pickle);

}  // namespace lockstep::pickle

#endif  // LOCKSTEP_LIB_NN_PICKLE_MACHINE_H_
