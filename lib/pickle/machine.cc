#include "lib/pickle/machine.h"

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/pickle/machine_state.h"
#include "lib/pickle/object_opcodes.h"
#include "lib/pickle/opcodes.h"

namespace lockstep::pickle {
namespace {

absl::Status StepProtocol(Op op, MachineState& state) {
  if (op == kFrame) {  // hint for prefetching
    ASSIGN_OR_RETURN(const uint64_t size, state.Read(8));
    return size <= state.bytes_left() ? absl::OkStatus() : state.Broken("a frame reaches beyond the end");
  }
  ASSIGN_OR_RETURN(const uint64_t protocol, state.Read(1));
  if (protocol < static_cast<uint64_t>(state.dialect().first_protocol) ||
      protocol > static_cast<uint64_t>(state.dialect().last_protocol)) {
    return state.Foreign(absl::StrCat("protocol ", protocol, " (", state.dialect().protocols, ")"));
  }
  return absl::OkStatus();
}

absl::Status StepMemo(Op op, MachineState& state) {
  uint64_t slot = state.remembered();  // slot of MEMOIZE: the number of entries so far
  if (op != kMemoize) {
    ASSIGN_OR_RETURN(slot, state.Read(op == kBinPut || op == kBinGet ? 1 : 4));
  }
  return op == kBinGet || op == kLongBinGet ? state.Recall(slot) : state.Remember(slot);
}

// Reads an integer of `size` bytes in two's complement.
absl::Status PushLong(uint64_t size, MachineState& state) {
  if (size > 8) {
    ASSIGN_OR_RETURN(const absl::string_view bytes, state.Take(size));
    state.Push(Value::kBigInt).text = bytes;
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const uint64_t bits, state.Read(static_cast<int>(size)));
  const int shift = size == 0 ? 0 : static_cast<int>(64 - 8 * size);
  state.Push(Value::kInt).number = static_cast<int64_t>(bits << shift) >> shift;  // sign-extended
  return absl::OkStatus();
}

// Reads a double, whose eight bytes are big-endian.
absl::Status PushFloat(MachineState& state) {
  ASSIGN_OR_RETURN(const uint64_t swapped, state.Read(8));
  const uint64_t bits = __builtin_bswap64(swapped);
  std::memcpy(&state.Push(Value::kFloat).real, &bits, sizeof(bits));
  return absl::OkStatus();
}

absl::Status StepNumber(Op op, MachineState& state) {
  switch (op) {
    case kNone:
      state.Push(Value::kNothing);
      return absl::OkStatus();
    case kNewTrue:
    case kNewFalse:
      state.Push(Value::kBool).number = op == kNewTrue;
      return absl::OkStatus();
    case kLong1:
    case kLong4: {
      ASSIGN_OR_RETURN(const uint64_t size, state.Read(op == kLong1 ? 1 : 4));
      return PushLong(size, state);
    }
    case kBinFloat:
      return PushFloat(state);
    default: {
      ASSIGN_OR_RETURN(const uint64_t bits, state.Read(op == kBinInt1 ? 1 : op == kBinInt2 ? 2 : 4));
      state.Push(Value::kInt).number = op == kBinInt ? static_cast<int32_t>(bits) : static_cast<int64_t>(bits);
      return absl::OkStatus();
    }
  }
}

// Reads a text preceded by its size.
absl::Status StepText(Op op, MachineState& state) {
  const bool is_unicode = op == kBinUnicode || op == kShortBinUnicode || op == kBinUnicode8;
  const bool is_short = op == kShortBinUnicode || op == kShortBinString || op == kShortBinBytes;
  const bool is_long = op == kBinBytes8 || op == kByteArray8 || op == kBinUnicode8;
  ASSIGN_OR_RETURN(const uint64_t size, state.Read(is_short ? 1 : is_long ? 8 : 4));
  ASSIGN_OR_RETURN(const absl::string_view text, state.Take(size));
  state.Push(is_unicode ? Value::kString : Value::kBytes).text = text;
  return absl::OkStatus();
}

absl::Status PushFilled(Value::Kind kind, absl::StatusOr<std::vector<const Value*>> items, MachineState& state) {
  RETURN_IF_ERROR(items.status());
  state.Push(kind).items = *std::move(items);
  return absl::OkStatus();
}

absl::Status StepHolder(Op op, MachineState& state) {
  switch (op) {
    case kMark:
      state.Push(Value::kMarkKind);
      return absl::OkStatus();
    case kEmptyDict:
      state.Push(Value::kDict);
      return absl::OkStatus();
    case kEmptyList:
      state.Push(Value::kList);
      return absl::OkStatus();
    case kEmptySet:
      state.Push(Value::kSet);
      return absl::OkStatus();
    case kFrozenSet:
      return PushFilled(Value::kSet, state.PopToMark(), state);
    case kEmptyTuple:
      return PushFilled(Value::kTupleKind, std::vector<const Value*>(), state);
    case kTuple:
      return PushFilled(Value::kTupleKind, state.PopToMark(), state);
    default:
      return PushFilled(Value::kTupleKind, state.Pop(static_cast<size_t>(op - kTuple1) + 1), state);
  }
}

// Adds items to the list or set below them, or keys and values to the dict. The result of a call may take their place:
// an object of a class that is derived from one of these.
absl::Status StepFill(Op op, MachineState& state) {
  const bool is_dict = op == kSetItem || op == kSetItems;
  const bool is_one = op == kAppend || op == kSetItem;
  const Value::Kind kind = is_dict ? Value::kDict : op == kAddItems ? Value::kSet : Value::kList;
  ASSIGN_OR_RETURN(const std::vector<const Value*> items, is_one ? state.Pop(is_dict ? 2 : 1) : state.PopToMark());
  Value* holder = state.Top();
  const bool fits = holder != nullptr && (holder->kind == kind || MayBuild(state.dialect(), *holder));
  if (!fits || (is_dict && items.size() % 2 != 0)) {
    return state.Broken(absl::StrCat("items without a ",
                                     is_dict               ? "dict"
                                     : kind == Value::kSet ? "set"
                                                           : "list",
                                     " to put them in"));
  }
  holder->items.insert(holder->items.end(), items.begin(), items.end());
  return absl::OkStatus();
}

absl::Status Step(Op op, MachineState& state) {
  switch (op) {
    case kProto:
    case kFrame:
      return StepProtocol(op, state);
    case kBinPut:
    case kLongBinPut:
    case kMemoize:
    case kBinGet:
    case kLongBinGet:
      return StepMemo(op, state);
    case kNone:
    case kNewTrue:
    case kNewFalse:
    case kBinInt1:
    case kBinInt2:
    case kBinInt:
    case kLong1:
    case kLong4:
    case kBinFloat:
      return StepNumber(op, state);
    case kBinUnicode:
    case kShortBinUnicode:
    case kBinString:
    case kShortBinString:
    case kBinBytes:
    case kShortBinBytes:
    case kBinBytes8:
    case kByteArray8:
    case kBinUnicode8:
      return StepText(op, state);
    case kMark:
    case kEmptyDict:
    case kEmptyList:
    case kEmptySet:
    case kFrozenSet:
    case kEmptyTuple:
    case kTuple1:
    case kTuple2:
    case kTuple3:
    case kTuple:
      return StepHolder(op, state);
    case kAppend:
    case kAppends:
    case kSetItem:
    case kSetItems:
    case kAddItems:
      return StepFill(op, state);
    case kGlobal:
    case kStackGlobal:
    case kReduce:
    case kNewObj:
    case kNewObjEx:
    case kBuild:
    case kBinPersId:
      return StepObject(op, state);
    case kStop:
      break;
  }
  return state.Broken("an opcode without a meaning");  // ReadPickle handles STOP, and a dialect contains only values of
                                                       // Op
}

std::bitset<256> Accepted(const Dialect& dialect) {
  std::bitset<256> accepted;
  for (const Op op : dialect.opcodes) {
    accepted.set(op);
  }
  return accepted;
}

// Returns the global that an opcode outside the dialect refers to, if it is easy to read: " os system". Otherwise
// returns "".
std::string Target(uint64_t op, MachineState& state) {
  if (op != kGlobal && op != 'i') {  // INST names a class like GLOBAL
    return "";
  }
  const absl::StatusOr<absl::string_view> module = state.ReadLine();
  const absl::StatusOr<absl::string_view> name = state.ReadLine();
  return module.ok() && name.ok() ? absl::StrCat(" ", Printable(*module), " ", Printable(*name)) : "";
}

}  // namespace

absl::StatusOr<Objects> ReadPickle(absl::string_view pickle, const Dialect& dialect) {
  const std::bitset<256> accepted = Accepted(dialect);
  MachineState state(pickle, dialect);
  while (true) {
    ASSIGN_OR_RETURN(const uint64_t op, state.BeginInstruction());
    if (!accepted.test(op)) {
      return state.Foreign(absl::StrCat("opcode ", OpcodeName(static_cast<unsigned char>(op)), Target(op, state)));
    }
    if (op == kStop) {
      return state.Finish();
    }
    RETURN_IF_ERROR(Step(static_cast<Op>(op), state));
    if (std::max({state.objects(), state.remembered(), state.stack_size()}) > dialect.max_objects) {
      return state.Broken(absl::StrCat("more than ", dialect.max_objects, " objects"));
    }
  }
}

}  // namespace lockstep::pickle
