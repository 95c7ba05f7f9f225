// What machine.h works on: the pickle's bytes, the stack, the memo, and the objects made so far.
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

// Every member function returns the first error, at the byte of the instruction where it showed.
class MachineState {
 public:
  MachineState(absl::string_view pickle, const Dialect& dialect) : pickle_(pickle), dialect_(dialect) {}

  const Dialect& dialect() const { return dialect_; }

  // DataLoss, and FailedPrecondition for what is outside the dialect.
  absl::Status Broken(absl::string_view what) const;
  absl::Status Foreign(absl::string_view what) const;

  // The bytes: an instruction begins with its opcode, and takes what belongs to it.
  absl::StatusOr<uint64_t> BeginInstruction();
  absl::StatusOr<absl::string_view> Take(uint64_t size);
  absl::StatusOr<uint64_t> Read(int bytes);  // unsigned, little-endian
  absl::StatusOr<absl::string_view> ReadLine();
  size_t bytes_left() const { return pickle_.size() - at_; }

  // The stack. No operand is a mark.
  Value& Push(Value::Kind kind);
  absl::StatusOr<Value*> Pop();
  absl::StatusOr<std::vector<const Value*>> Pop(size_t count);  // in the order in which they were pushed
  absl::StatusOr<std::vector<const Value*>> PopToMark();
  Value* Top() { return stack_.empty() ? nullptr : stack_.back(); }  // may be a mark

  // The memo.
  absl::Status Remember(uint64_t slot);  // what lies on top
  absl::Status Recall(uint64_t slot);    // puts it on top
  size_t remembered() const { return memo_.size(); }

  size_t objects() const { return objects_.all.size(); }

  // After the last instruction: all objects, with the one on top as their root. Call once.
  absl::StatusOr<Objects> Finish();

 private:
  const absl::string_view pickle_;
  const Dialect& dialect_;
  size_t at_ = 0;
  size_t op_at_ = 0;  // of the instruction that is worked on
  Objects objects_;
  std::vector<Value*> stack_;
  std::map<uint64_t, Value*> memo_;
};

}  // namespace lockstep::pickle

#endif  // LOCKSTEP_LIB_PICKLE_MACHINE_STATE_H_
