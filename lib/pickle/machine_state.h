// State of the machine of machine.h: the pickle's bytes, the stack, the memo, and the objects made so far.
#ifndef LOCKSTEP_LIB_PICKLE_MACHINE_STATE_H_
#define LOCKSTEP_LIB_PICKLE_MACHINE_STATE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/pickle/dialect.h"
#include "lib/pickle/value.h"

namespace lockstep::pickle {

// State of one run. Every member function returns the first error, with the byte of the instruction at which it
// occurred.
class MachineState {
 public:
  MachineState(absl::string_view pickle, const Dialect& dialect) : pickle_(pickle), dialect_(dialect) {}

  const Dialect& dialect() const { return dialect_; }

  // Return DataLossError, and FailedPreconditionError for an operation outside the dialect.
  absl::Status Broken(absl::string_view what) const;
  absl::Status Foreign(absl::string_view what) const;

  // The bytes. An instruction begins with its opcode; its operands follow.
  absl::StatusOr<uint64_t> BeginInstruction();
  absl::StatusOr<absl::string_view> Take(uint64_t size);
  absl::StatusOr<uint64_t> Read(int bytes);  // reads an unsigned little-endian integer
  absl::StatusOr<absl::string_view> ReadLine();
  size_t bytes_left() const { return pickle_.size() - at_; }

  // The stack. Operands are never marks.
  Value& Push(Value::Kind kind);
  absl::StatusOr<Value*> Pop();
  absl::StatusOr<std::vector<const Value*>> Pop(size_t count);  // returns the values in the order in which they were
                                                                // pushed
  absl::StatusOr<std::vector<const Value*>> PopToMark();
  Value* Top() { return stack_.empty() ? nullptr : stack_.back(); }  // may return a mark

  // The memo.
  absl::Status Remember(uint64_t slot);  // stores the top of the stack
  absl::Status Recall(uint64_t slot);    // pushes the stored value
  size_t remembered() const { return memo_.size(); }

  size_t objects() const { return objects_.all.size(); }
  size_t stack_size() const { return stack_.size(); }

  // Returns all objects, with the top of the stack as their root. Must be called once, after the last instruction.
  absl::StatusOr<Objects> Finish();

 private:
  const absl::string_view pickle_;
  const Dialect& dialect_;
  size_t at_ = 0;
  size_t op_at_ = 0;  // position of the current instruction
  Objects objects_;
  std::vector<Value*> stack_;
  std::map<uint64_t, Value*> memo_;
};

}  // namespace lockstep::pickle

#endif  // LOCKSTEP_LIB_PICKLE_MACHINE_STATE_H_
