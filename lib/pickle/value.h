// The objects that a pickle holds, as plain values.
#ifndef LOCKSTEP_LIB_PICKLE_VALUE_H_
#define LOCKSTEP_LIB_PICKLE_VALUE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace lockstep::pickle {

// Python global that a pickle may use.
struct Global {
  enum Use {
    kNamed,   // it may be named, as an argument of a call
    kCalled,  // it may also be called (REDUCE, NEWOBJ)
    kBuilt,   // the result of a call may also be given a state (BUILD) or items (SETITEMS, APPENDS)
  };
  absl::string_view module;
  absl::string_view name;
  Use use = kCalled;
};

// One object of a pickle. Objects may refer to one another, even in a cycle; none of them owns another.
struct Value {
  enum Kind {
    kMarkKind,    // mark of the machine itself
    kNothing,     // None
    kBool,        // number
    kInt,         // number
    kBigInt,      // text: an integer of more than 64 bits, little-endian, in two's complement
    kFloat,       // real
    kString,      // text: UTF-8, unchecked
    kBytes,       // text: bytes, bytearray, or a str of Python 2
    kGlobalName,  // module, text: name of the global
    kTupleKind,   // items
    kList,        // items
    kSet,         // items; also for a frozenset
    kDict,        // items: key, value, key, value ...; also for an OrderedDict
    kPersistent,  // items: a single object, the persistent id
    kCall,        // module, text: name of the callable; arguments, state; items that were put into the result
  };
  Kind kind = kNothing;
  size_t at = 0;  // byte of its opcode
  int64_t number = 0;
  double real = 0;
  absl::string_view module;
  absl::string_view text;
  std::vector<const Value*> items;
  const Value* arguments = nullptr;  // tuple of arguments
  const Value* state = nullptr;      // null: no state was given
};

// All objects of a pickle. Their texts are views into the pickle, which must outlive them.
struct Objects {
  std::deque<Value> all;  // a deque never moves its elements
  const Value* root = nullptr;
  size_t size = 0;  // bytes of the pickle up to and including its STOP
};

// Return true if `value` is the name of this global, or a call of it.
bool IsNameOf(const Value& value, const Global& global);
bool IsCallOf(const Value& value, const Global& global);

// Describe returns text for a message, "a list" or "a call of numpy dtype". Printable returns a text of the pickle as
// one printable line of bounded length.
std::string Describe(const Value& value);
std::string Printable(absl::string_view text);

}  // namespace lockstep::pickle

#endif  // LOCKSTEP_LIB_PICKLE_VALUE_H_
