#include "lib/nn/state_dict_pickle.h"

#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

// The opcodes used, under pickletools' names.
enum Op : unsigned char {
  kMark = '(', kStop = '.', kBinInt = 'J', kBinInt1 = 'K', kBinInt2 = 'M', kNone = 'N', kBinPersId = 'Q', kReduce = 'R',
  kBinUnicode = 'X', kEmptyList = ']', kBuild = 'b', kGlobal = 'c', kBinGet = 'h', kLongBinGet = 'j', kBinPut = 'q',
  kLongBinPut = 'r', kSetItem = 's', kTuple = 't', kSetItems = 'u', kEmptyDict = '}', kEmptyTuple = ')', kProto = 0x80,
  kTuple1 = 0x85, kTuple2 = 0x86, kTuple3 = 0x87, kNewTrue = 0x88, kNewFalse = 0x89, kLong1 = 0x8A,
};

constexpr char kOrderedDict[] = "collections OrderedDict";
constexpr char kRebuildTensor[] = "torch._utils _rebuild_tensor_v2";
constexpr char kRebuildParameter[] = "torch._utils _rebuild_parameter";

// --- writing ---

void Put(Op op, std::string& out) { out.push_back(static_cast<char>(op)); }

void PutLittleEndian(uint64_t value, int bytes, std::string& out) {
  for (int i = 0; i < bytes; ++i) {
    out.push_back(static_cast<char>(value >> (8 * i)));
  }
}

// BININT while it fits, then LONG1 of eight bytes; pickletools asks for no more.
void PutInt(int64_t value, std::string& out) {
  if (value == static_cast<int32_t>(value)) {
    Put(kBinInt, out);
    PutLittleEndian(static_cast<uint64_t>(value), 4, out);
    return;
  }
  Put(kLong1, out);
  out.push_back(8);
  PutLittleEndian(static_cast<uint64_t>(value), 8, out);
}

void PutString(absl::string_view text, std::string& out) {
  Put(kBinUnicode, out);
  PutLittleEndian(text.size(), 4, out);
  out.append(text.data(), text.size());
}

// `name` is "module name", which GLOBAL wants on two lines.
void PutGlobal(std::string name, std::string& out) {
  name[name.find(' ')] = '\n';
  Put(kGlobal, out);
  absl::StrAppend(&out, name, "\n");
}

void PutInts(const std::vector<int64_t>& values, std::string& out) {
  Put(kMark, out);
  for (const int64_t value : values) {
    PutInt(value, out);
  }
  Put(kTuple, out);
}

void PutEmptyOrderedDict(std::string& out) {
  PutGlobal(kOrderedDict, out);
  Put(kEmptyTuple, out);
  Put(kReduce, out);
}

void PutTensor(const TensorEntry& entry, std::string& out) {
  PutGlobal(kRebuildTensor, out);
  Put(kMark, out);
  Put(kMark, out);
  PutString("storage", out);
  PutGlobal("torch " + entry.storage_type, out);
  PutString(entry.storage_key, out);
  PutString("cpu", out);
  PutInt(entry.storage_elements, out);
  Put(kTuple, out);
  Put(kBinPersId, out);
  PutInt(entry.offset, out);
  PutInts(entry.sizes, out);
  PutInts(entry.strides, out);
  Put(kNewFalse, out);       // requires_grad
  PutEmptyOrderedDict(out);  // backward hooks
  Put(kTuple, out);
  Put(kReduce, out);
}

// --- reading ---

struct Value;
using ValuePtr = std::shared_ptr<Value>;

// One object of the pickle. Shared, because the memo and the stack may hold the same one.
struct Value {
  enum Kind { kMarkKind, kNothing, kBool, kInt, kString, kGlobalName, kTupleKind, kList, kDict, kStorage, kTensor };
  Kind kind = kNothing;
  int64_t number = 0;           // kBool, kInt
  std::string text;             // kString, kGlobalName
  std::vector<ValuePtr> items;  // kTupleKind; kDict: key, value, key, value; kStorage: its five-tuple
  TensorEntry tensor;           // kTensor, without a name
};

ValuePtr Make(Value::Kind kind) {
  auto value = std::make_shared<Value>();
  value->kind = kind;
  return value;
}

// Runs one pickle. Every member function returns the first error, at the byte where it showed.
class Machine {
 public:
  explicit Machine(absl::string_view pickle) : pickle_(pickle) {}

  absl::StatusOr<ValuePtr> Run() {
    while (true) {
      op_at_ = at_;
      ASSIGN_OR_RETURN(const uint64_t op, Read(1));
      if (op == kStop) {
        return Pop();
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
  absl::Status RebuildTensor(const std::vector<ValuePtr>& arguments);
  absl::Status SetItems(std::vector<ValuePtr> pairs);

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

  absl::StatusOr<ValuePtr> Pop() {
    if (stack_.empty() || stack_.back()->kind == Value::kMarkKind) {
      return Broken("an instruction lacks its operand");
    }
    ValuePtr top = stack_.back();
    stack_.pop_back();
    return top;
  }

  absl::StatusOr<std::vector<ValuePtr>> PopToMark() {
    size_t mark = stack_.size();
    while (mark > 0 && stack_[mark - 1]->kind != Value::kMarkKind) {
      --mark;
    }
    if (mark == 0) {
      return Broken("an instruction lacks its mark");
    }
    std::vector<ValuePtr> values(stack_.begin() + static_cast<ptrdiff_t>(mark), stack_.end());
    stack_.resize(mark - 1);
    return values;
  }

  absl::Status PushTuple(size_t size) {
    ValuePtr tuple = Make(Value::kTupleKind);
    tuple->items.resize(size);
    for (size_t i = size; i > 0; --i) {
      ASSIGN_OR_RETURN(tuple->items[i - 1], Pop());
    }
    stack_.push_back(std::move(tuple));
    return absl::OkStatus();
  }

  void PushNumber(Value::Kind kind, int64_t number) {
    stack_.push_back(Make(kind));
    stack_.back()->number = number;
  }

  void PushText(Value::Kind kind, std::string text) {
    stack_.push_back(Make(kind));
    stack_.back()->text = std::move(text);
  }

  const absl::string_view pickle_;
  size_t at_ = 0;
  size_t op_at_ = 0;
  std::vector<ValuePtr> stack_;
  std::map<uint64_t, ValuePtr> memo_;
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
      stack_.push_back(Make(Value::kMarkKind));
      return absl::OkStatus();
    case kNone:
      stack_.push_back(Make(Value::kNothing));
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
      stack_.push_back(Make(Value::kDict));
      return absl::OkStatus();
    case kEmptyList:
      stack_.push_back(Make(Value::kList));
      return absl::OkStatus();
    case kEmptyTuple:
      return PushTuple(0);
    case kTuple1:
    case kTuple2:
    case kTuple3:
      return PushTuple(static_cast<size_t>(op - kTuple1) + 1);
    case kTuple: {
      ASSIGN_OR_RETURN(std::vector<ValuePtr> items, PopToMark());
      stack_.push_back(Make(Value::kTupleKind));
      stack_.back()->items = std::move(items);
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
      ASSIGN_OR_RETURN(ValuePtr value, Pop());
      ASSIGN_OR_RETURN(ValuePtr key, Pop());
      return SetItems({std::move(key), std::move(value)});
    }
    case kSetItems: {
      ASSIGN_OR_RETURN(std::vector<ValuePtr> pairs, PopToMark());
      return SetItems(std::move(pairs));
    }
    default: {  // kBinPersId
      ASSIGN_OR_RETURN(const ValuePtr id, Pop());
      const auto& items = id->items;
      if (id->kind != Value::kTupleKind || items.size() != 5 || items[0]->text != "storage" ||
          items[1]->kind != Value::kGlobalName || items[2]->kind != Value::kString || items[4]->kind != Value::kInt) {
        return Foreign("a persistent id that is not ('storage', type, key, device, elements)");
      }
      stack_.push_back(Make(Value::kStorage));
      stack_.back()->items = items;
      return absl::OkStatus();
    }
  }
}

absl::Status Machine::SetItems(std::vector<ValuePtr> pairs) {
  if (stack_.empty() || stack_.back()->kind != Value::kDict || pairs.size() % 2 != 0) {
    return Broken("items without a dict to put them in");
  }
  auto& items = stack_.back()->items;
  items.insert(items.end(), pairs.begin(), pairs.end());
  return absl::OkStatus();
}

absl::Status Machine::Reduce() {
  ASSIGN_OR_RETURN(const ValuePtr arguments, Pop());
  ASSIGN_OR_RETURN(const ValuePtr callable, Pop());
  if (callable->kind != Value::kGlobalName || arguments->kind != Value::kTupleKind) {
    return Broken("a call of something that cannot be called");
  }
  if (callable->text == kOrderedDict && arguments->items.empty()) {
    stack_.push_back(Make(Value::kDict));
    return absl::OkStatus();
  }
  if (callable->text == kRebuildTensor) {
    return RebuildTensor(arguments->items);
  }
  if (callable->text == kRebuildParameter && !arguments->items.empty() &&
      arguments->items[0]->kind == Value::kTensor) {
    stack_.push_back(arguments->items[0]);
    return absl::OkStatus();
  }
  return Foreign(absl::StrCat("a call of ", callable->text));
}

absl::StatusOr<std::vector<int64_t>> ToInts(const Value& tuple) {
  std::vector<int64_t> numbers;
  for (const ValuePtr& item : tuple.items) {
    if (item->kind != Value::kInt || item->number < 0) {
      return absl::DataLossError("a size or stride that is not a whole number >= 0");
    }
    numbers.push_back(item->number);
  }
  return numbers;
}

// OK when the last element of the tensor lies within its storage. Computed in double, exact far beyond any real size and
// free of overflow beyond.
absl::Status CheckWithinStorage(const TensorEntry& tensor) {
  double last = static_cast<double>(tensor.offset);
  for (size_t i = 0; i < tensor.sizes.size(); ++i) {
    if (tensor.sizes[i] == 0) {
      return absl::OkStatus();
    }
    last += static_cast<double>(tensor.sizes[i] - 1) * static_cast<double>(tensor.strides[i]);
  }
  if (tensor.offset < 0 || last >= static_cast<double>(tensor.storage_elements)) {
    return absl::DataLossError(absl::StrCat("a tensor reaches to element ", last, " of a storage of ",
                                            tensor.storage_elements, " elements"));
  }
  return absl::OkStatus();
}

absl::Status Machine::RebuildTensor(const std::vector<ValuePtr>& arguments) {
  if (arguments.size() < 4 || arguments[0]->kind != Value::kStorage || arguments[1]->kind != Value::kInt ||
      arguments[2]->kind != Value::kTupleKind || arguments[3]->kind != Value::kTupleKind) {
    return Foreign("_rebuild_tensor_v2 without (storage, offset, sizes, strides)");
  }
  ValuePtr value = Make(Value::kTensor);
  TensorEntry& tensor = value->tensor;
  const auto& storage = arguments[0]->items;
  tensor.storage_type = storage[1]->text.substr(storage[1]->text.rfind(' ') + 1);
  tensor.storage_key = storage[2]->text;
  tensor.storage_elements = storage[4]->number;
  tensor.offset = arguments[1]->number;
  ASSIGN_OR_RETURN(tensor.sizes, ToInts(*arguments[2]));
  ASSIGN_OR_RETURN(tensor.strides, ToInts(*arguments[3]));
  if (tensor.sizes.size() != tensor.strides.size()) {
    return Broken("a tensor with more sizes than strides, or fewer");
  }
  RETURN_IF_ERROR(CheckWithinStorage(tensor));
  stack_.push_back(std::move(value));
  return absl::OkStatus();
}

}  // namespace

std::string PickleStateDict(const std::vector<TensorEntry>& entries) {
  std::string out;
  Put(kProto, out);
  out.push_back(2);
  PutEmptyOrderedDict(out);
  Put(kMark, out);
  for (const TensorEntry& entry : entries) {
    PutString(entry.name, out);
    PutTensor(entry, out);
  }
  Put(kSetItems, out);
  Put(kStop, out);
  return out;
}

absl::StatusOr<std::vector<TensorEntry>> ParseStateDictPickle(absl::string_view pickle) {
  ASSIGN_OR_RETURN(const ValuePtr root, Machine(pickle).Run());
  if (root->kind != Value::kDict) {
    return absl::FailedPreconditionError("not the pickle of a state_dict: it holds no dict");
  }
  std::vector<TensorEntry> entries;
  for (size_t i = 0; i < root->items.size(); i += 2) {
    const Value& key = *root->items[i];
    const Value& value = *root->items[i + 1];
    if (key.kind != Value::kString || value.kind != Value::kTensor) {
      return absl::FailedPreconditionError(
          absl::StrCat("not the pickle of a state_dict: the value of '", key.text, "' is no tensor"));
    }
    entries.push_back(value.tensor);
    entries.back().name = key.text;
  }
  return entries;
}

}  // namespace lockstep
