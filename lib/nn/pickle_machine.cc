#include "lib/nn/pickle_machine.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/nn/pickle_opcodes.h"

namespace lockstep::pickle {
namespace {

// Every member function returns the first error, at the byte where it showed.
class Machine {
 public:
  explicit Machine(absl::string_view pickle) : pickle_(pickle) {}

  absl::StatusOr<Objects> Run() {
    while (true) {
      op_at_ = at_;
      ASSIGN_OR_RETURN(const uint64_t op, Read(1));
      if (op == kStop) {
        ASSIGN_OR_RETURN(objects_.root, Pop());
        return std::move(objects_);
      }
      RETURN_IF_ERROR(Step(static_cast<Op>(op)));
    }
  }

 private:
  absl::Status Step(Op op);
  absl::Status StepPush(Op op);
  absl::Status StepMemo(Op op);
  absl::Status StepBuild(Op op);
  absl::Status Reduce();
  absl::Status SetItems(const std::vector<Value*>& pairs);

  absl::Status Broken(absl::string_view what) const {
    return absl::DataLossError(absl::StrCat("pickle broken at byte ", op_at_, ": ", what));
  }
  absl::Status Foreign(absl::string_view what) const {
    return absl::FailedPreconditionError(
        absl::StrCat("not the pickle of a state_dict: ", what, " at byte ", op_at_));
  }

  absl::StatusOr<absl::string_view> Take(uint64_t size) {
    if (size > pickle_.size() - at_) {
      return Broken("it ends in the middle of an instruction");
    }
    at_ += size;
    return pickle_.substr(at_ - size, size);
  }

  absl::StatusOr<uint64_t> Read(int bytes) {  // unsigned, little-endian
    ASSIGN_OR_RETURN(const absl::string_view raw, Take(bytes));
    uint64_t value = 0;
    for (int i = bytes - 1; i >= 0; --i) {
      value = value << 8 | static_cast<unsigned char>(raw[i]);
    }
    return value;
  }

  absl::StatusOr<std::string> ReadLine() {
    const size_t end = pickle_.find('\n', at_);
    if (end == absl::string_view::npos) {
      return Broken("a name without an end");
    }
    ASSIGN_OR_RETURN(const absl::string_view line, Take(end + 1 - at_));
    return std::string(line.substr(0, line.size() - 1));
  }

  absl::StatusOr<Value*> Pop() {
    if (stack_.empty() || stack_.back()->kind == Value::kMarkKind) {
      return Broken("an instruction lacks its operand");
    }
    Value* top = stack_.back();
    stack_.pop_back();
    return top;
  }

  absl::StatusOr<std::vector<Value*>> PopToMark() {
    size_t mark = stack_.size();
    while (mark > 0 && stack_[mark - 1]->kind != Value::kMarkKind) {
      --mark;
    }
    if (mark == 0) {
      return Broken("an instruction lacks its mark");
    }
    std::vector<Value*> values(stack_.begin() + static_cast<ptrdiff_t>(mark), stack_.end());
    stack_.resize(mark - 1);
    return values;
  }

  absl::Status PushTuple(size_t size) {
    std::vector<Value*> items(size);
    for (size_t i = size; i > 0; --i) {
      ASSIGN_OR_RETURN(items[i - 1], Pop());
    }
    PushHolder(Value::kTupleKind, items);
    return absl::OkStatus();
  }

  Value& Push(Value::Kind kind) {
    objects_.all.emplace_back();
    objects_.all.back().kind = kind;
    stack_.push_back(&objects_.all.back());
    return *stack_.back();
  }

  void PushHolder(Value::Kind kind, const std::vector<Value*>& items) {
    Push(kind).items.assign(items.begin(), items.end());
  }
  void PushNumber(Value::Kind kind, int64_t number) { Push(kind).number = number; }
  void PushText(Value::Kind kind, std::string text) { Push(kind).text = std::move(text); }

  const absl::string_view pickle_;
  size_t at_ = 0;
  size_t op_at_ = 0;
  Objects objects_;
  std::vector<Value*> stack_;
  std::map<uint64_t, Value*> memo_;
};

absl::Status Machine::Step(Op op) {
  switch (op) {
    case kProto: {
      ASSIGN_OR_RETURN(const uint64_t protocol, Read(1));
      return protocol == 2 ? absl::OkStatus() : Foreign(absl::StrCat("protocol ", protocol, " (torch.save writes 2)"));
    }
    case kBinPut:
    case kLongBinPut:
    case kBinGet:
    case kLongBinGet:
      return StepMemo(op);
    case kReduce:
    case kBuild:
    case kSetItem:
    case kSetItems:
    case kBinPersId:
      return StepBuild(op);
    default:
      return StepPush(op);
  }
}

absl::Status Machine::StepMemo(Op op) {
  const bool get = op == kBinGet || op == kLongBinGet;
  ASSIGN_OR_RETURN(const uint64_t slot, Read(op == kBinPut || op == kBinGet ? 1 : 4));
  if (!get && stack_.empty()) {
    return Broken("nothing to remember");
  }
  if (!get) {
    memo_[slot] = stack_.back();
    return absl::OkStatus();
  }
  const auto found = memo_.find(slot);
  if (found == memo_.end()) {
    return Broken("it refers to something not yet read");
  }
  stack_.push_back(found->second);
  return absl::OkStatus();
}

absl::Status Machine::StepPush(Op op) {
  switch (op) {
    case kMark:
      Push(Value::kMarkKind);
      return absl::OkStatus();
    case kNone:
      Push(Value::kNothing);
      return absl::OkStatus();
    case kNewTrue:
    case kNewFalse:
      PushNumber(Value::kBool, op == kNewTrue);
      return absl::OkStatus();
    case kBinInt1:
    case kBinInt2:
    case kBinInt: {
      ASSIGN_OR_RETURN(const uint64_t bits, Read(op == kBinInt1 ? 1 : op == kBinInt2 ? 2 : 4));
      PushNumber(Value::kInt, op == kBinInt ? static_cast<int32_t>(bits) : static_cast<int64_t>(bits));
      return absl::OkStatus();
    }
    case kLong1: {
      ASSIGN_OR_RETURN(const uint64_t size, Read(1));
      if (size > 8) {
        return Foreign("an integer of more than 64 bits");
      }
      ASSIGN_OR_RETURN(const uint64_t bits, Read(static_cast<int>(size)));
      const int shift = size == 0 ? 0 : static_cast<int>(64 - 8 * size);
      PushNumber(Value::kInt, static_cast<int64_t>(bits << shift) >> shift);  // sign-extended
      return absl::OkStatus();
    }
    case kBinUnicode: {
      ASSIGN_OR_RETURN(const uint64_t size, Read(4));
      ASSIGN_OR_RETURN(const absl::string_view text, Take(size));
      PushText(Value::kString, std::string(text));
      return absl::OkStatus();
    }
    case kGlobal: {
      ASSIGN_OR_RETURN(const std::string module, ReadLine());
      ASSIGN_OR_RETURN(const std::string name, ReadLine());
      PushText(Value::kGlobalName, absl::StrCat(module, " ", name));
      return absl::OkStatus();
    }
    case kEmptyDict:
      Push(Value::kDict);
      return absl::OkStatus();
    case kEmptyList:
      Push(Value::kList);
      return absl::OkStatus();
    case kEmptyTuple:
      return PushTuple(0);
    case kTuple1:
    case kTuple2:
    case kTuple3:
      return PushTuple(static_cast<size_t>(op - kTuple1) + 1);
    case kTuple: {
      ASSIGN_OR_RETURN(const std::vector<Value*> items, PopToMark());
      PushHolder(Value::kTupleKind, items);
      return absl::OkStatus();
    }
    default:
      return Foreign(absl::StrCat("opcode 0x", absl::Hex(static_cast<unsigned>(op), absl::kZeroPad2)));
  }
}

absl::Status Machine::StepBuild(Op op) {
  switch (op) {
    case kReduce:
      return Reduce();
    case kBuild:  // OrderedDict.__dict__: _metadata, the versions of the modules; nothing that weights need
      return Pop().status();
    case kSetItem: {
      ASSIGN_OR_RETURN(Value* value, Pop());
      ASSIGN_OR_RETURN(Value* key, Pop());
      return SetItems({std::move(key), std::move(value)});
    }
    case kSetItems: {
      ASSIGN_OR_RETURN(const std::vector<Value*> pairs, PopToMark());
      return SetItems(pairs);
    }
    default: {  // kBinPersId
      ASSIGN_OR_RETURN(Value* const id, Pop());
      PushHolder(Value::kPersistent, {id});
      return absl::OkStatus();
    }
  }
}

absl::Status Machine::SetItems(const std::vector<Value*>& pairs) {
  if (stack_.empty() || stack_.back()->kind != Value::kDict || pairs.size() % 2 != 0) {
    return Broken("items without a dict to put them in");
  }
  auto& items = stack_.back()->items;
  items.insert(items.end(), pairs.begin(), pairs.end());
  return absl::OkStatus();
}

absl::Status Machine::Reduce() {
  ASSIGN_OR_RETURN(const Value* arguments, Pop());
  ASSIGN_OR_RETURN(const Value* callable, Pop());
  if (callable->kind != Value::kGlobalName || arguments->kind != Value::kTupleKind) {
    return Broken("a call of something that cannot be called");
  }
  if (callable->text == kOrderedDict && arguments->items.empty()) {
    Push(Value::kDict);
    return absl::OkStatus();
  }
  Value& call = Push(Value::kCall);
  call.text = callable->text;
  call.items = arguments->items;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Objects> ReadPickle(absl::string_view pickle) { return Machine(pickle).Run(); }

}  // namespace lockstep::pickle
