#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/nn/state_dict_globals.h"
#include "lib/nn/state_dict_pickle.h"
#include "lib/pickle/machine.h"

namespace lockstep {
namespace {

using pickle::Value;

// Opcodes that torch.save uses for state dicts. Any global may be named, because a storage's type is a global; a call
// of a global that does not rebuild a tensor is refused below, by name.
constexpr pickle::Op kOpcodes[] = {pickle::kProto,     pickle::kStop,       pickle::kMark,       pickle::kNone,
                                   pickle::kNewTrue,   pickle::kNewFalse,   pickle::kBinInt,     pickle::kBinInt1,
                                   pickle::kBinInt2,   pickle::kLong1,      pickle::kBinUnicode, pickle::kEmptyTuple,
                                   pickle::kTuple1,    pickle::kTuple2,     pickle::kTuple3,     pickle::kTuple,
                                   pickle::kEmptyList, pickle::kEmptyDict,  pickle::kSetItem,    pickle::kSetItems,
                                   pickle::kBinPut,    pickle::kLongBinPut, pickle::kBinGet,     pickle::kLongBinGet,
                                   pickle::kGlobal,    pickle::kReduce,     pickle::kBuild,      pickle::kBinPersId};

// Limit of objects. A tensor has some 30, so 300,000 tensors are possible.
constexpr size_t kMaxObjects = 10'000'000;
// Limits of a tensor's dimensions (ATen's dim_bitset_size, ATen/WrapDimUtilsMulti.h) and of a name, far above any real
// one. Without these limits a small pickle could request much memory, since one object may be part of many.
constexpr size_t kMaxDimensions = 64;
constexpr size_t kMaxNameBytes = 1000;

pickle::Dialect StateDictDialect() {
  pickle::Dialect dialect;
  dialect.before = "not the pickle of a state_dict: ";
  dialect.opcodes = kOpcodes;
  dialect.first_protocol = 2;
  dialect.last_protocol = 2;
  dialect.protocols = "torch.save writes 2";
  dialect.dict_class = &kOrderedDict;
  dialect.max_objects = kMaxObjects;
  return dialect;
}

absl::Status Foreign(absl::string_view what) {
  return absl::FailedPreconditionError(absl::StrCat("not the pickle of a state_dict: ", what));
}

absl::StatusOr<std::string> ToName(absl::string_view text) {
  if (text.size() > kMaxNameBytes) {
    return absl::DataLossError(absl::StrCat("a name of ", text.size(), " bytes; expected at most ", kMaxNameBytes));
  }
  return std::string(text);
}

absl::StatusOr<std::vector<int64_t>> ToInts(const Value& tuple) {
  if (tuple.items.size() > kMaxDimensions) {
    return absl::DataLossError(
        absl::StrCat("a tensor of ", tuple.items.size(), " dimensions; expected at most ", kMaxDimensions));
  }
  std::vector<int64_t> numbers;
  for (const Value* item : tuple.items) {
    if (item->kind != Value::kInt || item->number < 0) {
      return absl::DataLossError("a size or stride that is not a whole number >= 0");
    }
    numbers.push_back(item->number);
  }
  return numbers;
}

// Returns OK if the last element of the tensor lies within its storage. Computes in double, which is exact far beyond
// any real size and cannot overflow.
absl::Status CheckWithinStorage(const TensorEntry& tensor) {
  double last = static_cast<double>(tensor.offset);
  for (size_t i = 0; i < tensor.sizes.size(); ++i) {
    if (tensor.sizes[i] == 0) {
      return absl::OkStatus();
    }
    last += static_cast<double>(tensor.sizes[i] - 1) * static_cast<double>(tensor.strides[i]);
  }
  if (tensor.offset < 0 || last >= static_cast<double>(tensor.storage_elements)) {
    return absl::DataLossError(
        absl::StrCat("a tensor reaches to element ", last, " of a storage of ", tensor.storage_elements, " elements"));
  }
  return absl::OkStatus();
}

// Reads the storage and position of a tensor from its persistent id ('storage', type, key, device, elements).
absl::Status ReadStorage(const Value& value, TensorEntry& tensor) {
  const bool persistent = value.kind == Value::kPersistent && value.items[0]->kind == Value::kTupleKind;
  if (!persistent || value.items[0]->items.size() != 5) {
    return Foreign("a tensor without a storage of its own");
  }
  const auto& id = value.items[0]->items;
  if (id[0]->text != "storage" || id[1]->kind != Value::kGlobalName || id[2]->kind != Value::kString ||
      id[4]->kind != Value::kInt) {
    return Foreign("a persistent id that is not ('storage', type, key, device, elements)");
  }
  ASSIGN_OR_RETURN(tensor.storage_type, ToName(id[1]->text));
  ASSIGN_OR_RETURN(tensor.storage_key, ToName(id[2]->text));
  tensor.storage_elements = id[4]->number;
  return absl::OkStatus();
}

// Returns the tensor that _rebuild_tensor_v2(storage, offset, sizes, strides, ...) would make.
absl::StatusOr<TensorEntry> ReadTensor(const Value& value) {
  if (value.kind != Value::kCall) {
    return Foreign("no tensor");
  }
  const auto& arguments = value.arguments->items;
  if (IsCallOf(value, kRebuildParameter) && !arguments.empty() && IsCallOf(*arguments[0], kRebuildTensor)) {
    return ReadTensor(*arguments[0]);
  }
  if (!IsCallOf(value, kRebuildTensor) || arguments.size() < 4 || arguments[1]->kind != Value::kInt ||
      arguments[2]->kind != Value::kTupleKind || arguments[3]->kind != Value::kTupleKind) {
    return Foreign(Describe(value));
  }
  TensorEntry tensor;
  RETURN_IF_ERROR(ReadStorage(*arguments[0], tensor));
  tensor.offset = arguments[1]->number;
  ASSIGN_OR_RETURN(tensor.sizes, ToInts(*arguments[2]));
  ASSIGN_OR_RETURN(tensor.strides, ToInts(*arguments[3]));
  if (tensor.sizes.size() != tensor.strides.size()) {
    return absl::DataLossError("a tensor with more sizes than strides, or fewer");
  }
  RETURN_IF_ERROR(CheckWithinStorage(tensor));
  return tensor;
}

}  // namespace

absl::StatusOr<std::vector<TensorEntry>> ParseStateDictPickle(absl::string_view bytes) {
  ASSIGN_OR_RETURN(const pickle::Objects objects, pickle::ReadPickle(bytes, StateDictDialect()));
  const Value* const root = objects.root;
  if (root->kind != Value::kDict) {
    return Foreign(root->kind == Value::kCall ? Describe(*root) : "it holds no dict");
  }
  std::vector<TensorEntry> entries;
  for (size_t i = 0; i < root->items.size(); i += 2) {
    const absl::string_view name = root->items[i]->text;
    absl::StatusOr<TensorEntry> tensor = ReadTensor(*root->items[i + 1]);
    if (!tensor.ok()) {
      return absl::Status(tensor.status().code(),
                          absl::StrCat("entry '", pickle::Printable(name), "': ", tensor.status().message()));
    }
    entries.push_back(*std::move(tensor));
    ASSIGN_OR_RETURN(entries.back().name, ToName(name));
  }
  return entries;
}

}  // namespace lockstep
