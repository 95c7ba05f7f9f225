#include "lib/pickle/machine.h"

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"

namespace lockstep::pickle {
namespace {

// Every member function returns the first error, at the byte where it showed.
class Machine {
 public:
  Machine(absl::string_view pickle, const Dialect& dialect) : pickle_(pickle), dialect_(dialect) {
    for (const Op op : dialect.opcodes) {
      accepted_.set(op);
    }
  }

  absl::StatusOr<Objects> Run() {
    while (true) {
      op_at_ = at_;
      ASSIGN_OR_RETURN(const uint64_t op, Read(1));
      if (!accepted_.test(op)) {
        return Foreign(absl::StrCat("opcode ", OpcodeName(static_cast<unsigned char>(op)), Target(op)));
      }
      if (op == kStop) {
        ASSIGN_OR_RETURN(objects_.root, Pop());
        objects_.size = at_;
        return std::move(objects_);
      }
      RETURN_IF_ERROR(Step(static_cast<Op>(op)));
      if (objects_.all.size() > dialect_.max_objects || memo_.size() > dialect_.max_objects) {
        return Broken(absl::StrCat("more than ", dialect_.max_objects, " objects"));
      }
    }
  }

 private:
  absl::Status Step(Op op);
  absl::Status StepProtocol(Op op);
  absl::Status StepMemo(Op op);
  absl::Status StepNumber(Op op);
  absl::Status StepText(Op op);
  absl::Status StepHolder(Op op);
  absl::Status StepFill(Op op);
  absl::Status StepObject(Op op);
  absl::Status PushGlobal(absl::string_view opcode, absl::string_view module, absl::string_view name);
  absl::Status Reduce();
  absl::Status Build();

  absl::Status Broken(absl::string_view what) const {
    return absl::DataLossError(absl::StrCat("pickle broken at byte ", op_at_, ": ", what));
  }
  absl::Status Foreign(absl::string_view what) const {
    return absl::FailedPreconditionError(
        absl::StrCat(dialect_.before, what, " at byte ", op_at_, dialect_.after));
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

  absl::StatusOr<absl::string_view> ReadLine() {
    const size_t end = pickle_.find('\n', at_);
    if (end == absl::string_view::npos) {
      return Broken("a name without an end");
    }
    ASSIGN_OR_RETURN(const absl::string_view line, Take(end + 1 - at_));
    return line.substr(0, line.size() - 1);
  }

  // What an opcode outside the dialect wants, as far as that is easily said: " os system".
  std::string Target(uint64_t op) {
    if (op != kGlobal && op != 'i') {  // INST names a class as GLOBAL does
      return "";
    }
    const absl::StatusOr<absl::string_view> module = ReadLine();
    const absl::StatusOr<absl::string_view> name = ReadLine();
    return module.ok() && name.ok() ? absl::StrCat(" ", Printable(*module), " ", Printable(*name)) : "";
  }

  absl::StatusOr<Value*> Pop() {
    if (stack_.empty() || stack_.back()->kind == Value::kMarkKind) {
      return Broken("an instruction lacks its operand");
    }
    Value* top = stack_.back();
    stack_.pop_back();
    return top;
  }

  absl::StatusOr<std::vector<const Value*>> PopToMark() {
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

  Value& Push(Value::Kind kind) {
    Value& value = objects_.all.emplace_back();
    value.kind = kind;
    value.at = op_at_;
    stack_.push_back(&value);
    return value;
  }

  absl::Status PushTuple(size_t size) {
    std::vector<const Value*> items(size);
    for (size_t i = size; i > 0; --i) {
      ASSIGN_OR_RETURN(items[i - 1], Pop());
    }
    Push(Value::kTupleKind).items = std::move(items);
    return absl::OkStatus();
  }

  // A text whose size stands before it in `size_bytes` bytes.
  absl::Status PushText(Value::Kind kind, int size_bytes) {
    ASSIGN_OR_RETURN(const uint64_t size, Read(size_bytes));
    ASSIGN_OR_RETURN(const absl::string_view text, Take(size));
    Push(kind).text = text;
    return absl::OkStatus();
  }

  // What the dialect knows of a global; null: it knows nothing. Only asked of a dialect that lists its globals.
  const Global* Known(absl::string_view module, absl::string_view name) const {
    const auto found = std::find_if(dialect_.globals.begin(), dialect_.globals.end(), [&](const Global& global) {
      return global.module == module && global.name == name;
    });
    return found == dialect_.globals.end() ? nullptr : &*found;
  }

  bool MayBe(Global::Use use, const Value& value) const {
    if (dialect_.globals.empty()) {
      return true;
    }
    const Global* global = Known(value.module, value.text);
    return global != nullptr && global->use >= use;
  }

  const absl::string_view pickle_;
  const Dialect& dialect_;
  std::bitset<256> accepted_;
  size_t at_ = 0;
  size_t op_at_ = 0;
  Objects objects_;
  std::vector<Value*> stack_;
  std::map<uint64_t, Value*> memo_;
};

absl::Status Machine::Step(Op op) {
  switch (op) {
    case kProto: case kFrame:
      return StepProtocol(op);
    case kBinPut: case kLongBinPut: case kMemoize: case kBinGet: case kLongBinGet:
      return StepMemo(op);
    case kNone: case kNewTrue: case kNewFalse: case kBinInt1: case kBinInt2: case kBinInt: case kLong1:
      return StepNumber(op);
    case kBinUnicode: case kShortBinUnicode: case kBinString: case kShortBinString: case kBinBytes: case kShortBinBytes:
    case kBinBytes8: case kByteArray8:
      return StepText(op);
    case kMark: case kEmptyDict: case kEmptyList: case kEmptyTuple: case kTuple1: case kTuple2: case kTuple3:
    case kTuple:
      return StepHolder(op);
    case kAppend: case kAppends: case kSetItem: case kSetItems:
      return StepFill(op);
    case kGlobal: case kStackGlobal: case kReduce: case kBuild: case kBinPersId:
      return StepObject(op);
    case kStop:
      break;
  }
  return Broken("an opcode without a meaning");  // Run knows STOP, and a dialect lists nothing but Op
}

absl::Status Machine::StepProtocol(Op op) {
  if (op == kFrame) {  // a hint for reading ahead
    ASSIGN_OR_RETURN(const uint64_t size, Read(8));
    return size <= pickle_.size() - at_ ? absl::OkStatus() : Broken("a frame reaches beyond the end");
  }
  ASSIGN_OR_RETURN(const uint64_t protocol, Read(1));
  if (protocol < static_cast<uint64_t>(dialect_.first_protocol) ||
      protocol > static_cast<uint64_t>(dialect_.last_protocol)) {
    return Foreign(absl::StrCat("protocol ", protocol, " (", dialect_.protocols, ")"));
  }
  return absl::OkStatus();
}

absl::Status Machine::StepMemo(Op op) {
  uint64_t slot = memo_.size();  // MEMOIZE counts
  if (op != kMemoize) {
    ASSIGN_OR_RETURN(slot, Read(op == kBinPut || op == kBinGet ? 1 : 4));
  }
  if (op == kBinGet || op == kLongBinGet) {
    const auto found = memo_.find(slot);
    if (found == memo_.end()) {
      return Broken("it refers to something not yet read");
    }
    stack_.push_back(found->second);
    return absl::OkStatus();
  }
  if (stack_.empty() || stack_.back()->kind == Value::kMarkKind) {
    return Broken("nothing to remember");
  }
  memo_[slot] = stack_.back();
  return absl::OkStatus();
}

absl::Status Machine::StepNumber(Op op) {
  switch (op) {
    case kNone:
      Push(Value::kNothing);
      return absl::OkStatus();
    case kNewTrue:
    case kNewFalse:
      Push(Value::kBool).number = op == kNewTrue;
      return absl::OkStatus();
    case kLong1: {
      ASSIGN_OR_RETURN(const uint64_t size, Read(1));
      if (size > 8) {
        return Foreign("an integer of more than 64 bits");
      }
      ASSIGN_OR_RETURN(const uint64_t bits, Read(static_cast<int>(size)));
      const int shift = size == 0 ? 0 : static_cast<int>(64 - 8 * size);
      Push(Value::kInt).number = static_cast<int64_t>(bits << shift) >> shift;  // sign-extended
      return absl::OkStatus();
    }
    default: {
      ASSIGN_OR_RETURN(const uint64_t bits, Read(op == kBinInt1 ? 1 : op == kBinInt2 ? 2 : 4));
      Push(Value::kInt).number = op == kBinInt ? static_cast<int32_t>(bits) : static_cast<int64_t>(bits);
      return absl::OkStatus();
    }
  }
}

absl::Status Machine::StepText(Op op) {
  const bool is_unicode = op == kBinUnicode || op == kShortBinUnicode;
  const bool is_short = op == kShortBinUnicode || op == kShortBinString || op == kShortBinBytes;
  const bool is_long = op == kBinBytes8 || op == kByteArray8;
  return PushText(is_unicode ? Value::kString : Value::kBytes, is_short ? 1 : is_long ? 8 : 4);
}

absl::Status Machine::StepHolder(Op op) {
  switch (op) {
    case kMark:
      Push(Value::kMarkKind);
      return absl::OkStatus();
    case kEmptyDict:
      Push(Value::kDict);
      return absl::OkStatus();
    case kEmptyList:
      Push(Value::kList);
      return absl::OkStatus();
    case kEmptyTuple:
      return PushTuple(0);
    case kTuple: {
      ASSIGN_OR_RETURN(std::vector<const Value*> items, PopToMark());
      Push(Value::kTupleKind).items = std::move(items);
      return absl::OkStatus();
    }
    default:
      return PushTuple(static_cast<size_t>(op - kTuple1) + 1);
  }
}

// Items for the list, or keys and values for the dict, that lies below them.
absl::Status Machine::StepFill(Op op) {
  const bool is_list = op == kAppend || op == kAppends;
  std::vector<const Value*> items;
  if (op == kAppend || op == kSetItem) {
    items.resize(is_list ? 1 : 2);
    for (size_t i = items.size(); i > 0; --i) {
      ASSIGN_OR_RETURN(items[i - 1], Pop());
    }
  } else {
    ASSIGN_OR_RETURN(items, PopToMark());
  }
  if (stack_.empty() || stack_.back()->kind != (is_list ? Value::kList : Value::kDict) ||
      (!is_list && items.size() % 2 != 0)) {
    return Broken(absl::StrCat("items without a ", is_list ? "list" : "dict", " to put them in"));
  }
  auto& target = stack_.back()->items;
  target.insert(target.end(), items.begin(), items.end());
  return absl::OkStatus();
}

absl::Status Machine::StepObject(Op op) {
  switch (op) {
    case kGlobal: {
      ASSIGN_OR_RETURN(const absl::string_view module, ReadLine());
      ASSIGN_OR_RETURN(const absl::string_view name, ReadLine());
      return PushGlobal("GLOBAL", module, name);
    }
    case kStackGlobal: {
      ASSIGN_OR_RETURN(const Value* name, Pop());
      ASSIGN_OR_RETURN(const Value* module, Pop());
      if (name->kind != Value::kString || module->kind != Value::kString) {
        return Broken("STACK_GLOBAL of something that is no name");
      }
      return PushGlobal("STACK_GLOBAL", module->text, name->text);
    }
    case kReduce:
      return Reduce();
    case kBuild:
      return Build();
    default: {  // kBinPersId
      ASSIGN_OR_RETURN(const Value* id, Pop());
      Push(Value::kPersistent).items = {id};
      return absl::OkStatus();
    }
  }
}

absl::Status Machine::PushGlobal(absl::string_view opcode, absl::string_view module, absl::string_view name) {
  if (!dialect_.globals.empty() && Known(module, name) == nullptr) {
    return Foreign(absl::StrCat("opcode ", opcode, " ", Printable(module), " ", Printable(name)));
  }
  Value& global = Push(Value::kGlobalName);
  global.module = module;
  global.text = name;
  return absl::OkStatus();
}

absl::Status Machine::Reduce() {
  ASSIGN_OR_RETURN(const Value* arguments, Pop());
  ASSIGN_OR_RETURN(const Value* callable, Pop());
  if (callable->kind != Value::kGlobalName || arguments->kind != Value::kTupleKind) {
    return Broken("a call of something that cannot be called");
  }
  if (!MayBe(Global::kCalled, *callable)) {
    return Foreign(absl::StrCat("opcode REDUCE of ", Describe(*callable)));
  }
  if (dialect_.dict_class != nullptr && IsNameOf(*callable, *dialect_.dict_class) && arguments->items.empty()) {
    Push(Value::kDict);
    return absl::OkStatus();
  }
  Value& call = Push(Value::kCall);
  call.module = callable->module;
  call.text = callable->text;
  call.arguments = arguments;
  return absl::OkStatus();
}

// A dict's state (OrderedDict.__dict__: _metadata, the versions of the modules) is dropped: weights need nothing of it.
absl::Status Machine::Build() {
  ASSIGN_OR_RETURN(const Value* state, Pop());
  if (stack_.empty()) {
    return Broken("an instruction lacks its operand");
  }
  Value& target = *stack_.back();
  if (target.kind == Value::kDict && dialect_.dict_class != nullptr) {
    return absl::OkStatus();
  }
  if (target.kind != Value::kCall || !MayBe(Global::kBuilt, target)) {
    return Foreign(absl::StrCat("opcode BUILD on ", Describe(target)));
  }
  target.state = state;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Objects> ReadPickle(absl::string_view pickle, const Dialect& dialect) {
  return Machine(pickle, dialect).Run();
}

}  // namespace lockstep::pickle
