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

// Something of Python that a pickle names.
struct Global {
  enum Use {
    kNamed,   // it may be named, as an argument of something else
    kCalled,  // it may be called (REDUCE)
    kBuilt,   // ... and what that makes be given a state (BUILD)
  };
  absl::string_view module;
  absl::string_view name;
  Use use = kCalled;
};

// One object of a pickle. Objects may hold one another, even in a circle: none owns another.
struct Value {
  enum Kind {
    kMarkKind,    // of the machine itself
    kNothing,     // None
    kBool,        // number
    kInt,         // number
    kString,      // text: UTF-8, unchecked
    kBytes,       // text: bytes, bytearray, or a str of Python 2
    kGlobalName,  // module, text: its name
    kTupleKind,   // items
    kList,        // items
    kDict,        // items: key, value, key, value ...; an OrderedDict likewise
    kPersistent,  // items: the one object that is its id
    kCall,        // module, text: what is to be called; arguments, state
  };
  Kind kind = kNothing;
  size_t at = 0;  // byte of the opcode that made it
  int64_t number = 0;
  absl::string_view module;
  absl::string_view text;
  std::vector<const Value*> items;
  const Value* arguments = nullptr;  // a tuple
  const Value* state = nullptr;      // null: none was given
};

// All objects of a pickle. Their texts are views into it: keep it.
struct Objects {
  std::deque<Value> all;  // a deque never moves what it holds
  const Value* root = nullptr;
  size_t size = 0;  // bytes of the pickle up to its STOP, that included
};

// Whether `value` (a name or a call) is this global, or a call of it.
bool IsNameOf(const Value& value, const Global& global);
bool IsCallOf(const Value& value, const Global& global);

// For messages: "a list", "a call of numpy dtype"; and a text of the pickle in one printable line of bounded length.
std::string Describe(const Value& value);
std::string Printable(absl::string_view text);

}  // namespace lockstep::pickle

#endif  // LOCKSTEP_LIB_PICKLE_VALUE_H_
