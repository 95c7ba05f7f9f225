#include "lib/pickle/machine_state.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/little_endian.h"
#include "lib/base/status_macros.h"

namespace lockstep::pickle {

absl::Status MachineState::Broken(absl::string_view what) const {
  return absl::DataLossError(absl::StrCat("pickle broken at byte ", op_at_, ": ", what));
}

absl::Status MachineState::Foreign(absl::string_view what) const {
  return absl::FailedPreconditionError(absl::StrCat(dialect_.before, what, " at byte ", op_at_, dialect_.after));
}

absl::StatusOr<uint64_t> MachineState::BeginInstruction() {
  op_at_ = at_;
  return Read(1);
}

absl::StatusOr<absl::string_view> MachineState::Take(uint64_t size) {
  if (size > bytes_left()) {
    return Broken("it ends in the middle of an instruction");
  }
  at_ += size;
  return pickle_.substr(at_ - size, size);
}

absl::StatusOr<uint64_t> MachineState::Read(int bytes) {
  ASSIGN_OR_RETURN(const absl::string_view raw, Take(bytes));
  return LittleEndian(raw);
}

absl::StatusOr<absl::string_view> MachineState::ReadLine() {
  const size_t end = pickle_.find('\n', at_);
  if (end == absl::string_view::npos) {
    return Broken("a name without an end");
  }
  ASSIGN_OR_RETURN(const absl::string_view line, Take(end + 1 - at_));
  return line.substr(0, line.size() - 1);
}

Value& MachineState::Push(Value::Kind kind) {
  Value& value = objects_.all.emplace_back();
  value.kind = kind;
  value.at = op_at_;
  stack_.push_back(&value);
  return value;
}

absl::StatusOr<Value*> MachineState::Pop() {
  if (stack_.empty() || stack_.back()->kind == Value::kMarkKind) {
    return Broken("an instruction lacks its operand");
  }
  Value* top = stack_.back();
  stack_.pop_back();
  return top;
}

absl::StatusOr<std::vector<const Value*>> MachineState::Pop(size_t count) {
  std::vector<const Value*> values(count);
  for (size_t i = count; i > 0; --i) {
    ASSIGN_OR_RETURN(values[i - 1], Pop());
  }
  return values;
}

absl::StatusOr<std::vector<const Value*>> MachineState::PopToMark() {
  size_t mark = stack_.size();
  while (mark > 0 && stack_[mark - 1]->kind != Value::kMarkKind) {
    --mark;
  }
  if (mark == 0) {
    return Broken("an instruction lacks its mark");
  }
  std::vector<const Value*> values(stack_.begin() + static_cast<ptrdiff_t>(mark), stack_.end());
  stack_.resize(mark - 1);
  return values;
}

absl::Status MachineState::Remember(uint64_t slot) {
  if (stack_.empty() || stack_.back()->kind == Value::kMarkKind) {
    return Broken("nothing to remember");
  }
  memo_[slot] = stack_.back();
  return absl::OkStatus();
}

absl::Status MachineState::Recall(uint64_t slot) {
  const auto found = memo_.find(slot);
  if (found == memo_.end()) {
    return Broken("it refers to something not yet read");
  }
  stack_.push_back(found->second);
  return absl::OkStatus();
}

absl::StatusOr<Objects> MachineState::Finish() {
  ASSIGN_OR_RETURN(objects_.root, Pop());
  objects_.size = at_;
  return std::move(objects_);
}

}  // namespace lockstep::pickle
