#include <optional>
#include <unordered_set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "lib/base/status_macros.h"
#include "lib/nn/state_dict_globals.h"
#include "lib/nn/state_dict_pickle.h"
#include "lib/pickle/machine.h"

namespace lockstep {
namespace {

using pickle::Value;
using Items = absl::Span<const Value* const>;

// Opcodes that Python's picklers write for protocols 2 to 5, and for texts of Python 2.
constexpr pickle::Op kOpcodes[] = {
    pickle::kProto,       pickle::kFrame,           pickle::kStop,           pickle::kMark,
    pickle::kNone,        pickle::kNewTrue,         pickle::kNewFalse,       pickle::kBinInt,
    pickle::kBinInt1,     pickle::kBinInt2,         pickle::kLong1,          pickle::kLong4,
    pickle::kBinFloat,    pickle::kBinString,       pickle::kShortBinString, pickle::kBinUnicode,
    pickle::kBinUnicode8, pickle::kShortBinUnicode, pickle::kBinBytes,       pickle::kShortBinBytes,
    pickle::kBinBytes8,   pickle::kByteArray8,      pickle::kEmptyTuple,     pickle::kTuple1,
    pickle::kTuple2,      pickle::kTuple3,          pickle::kTuple,          pickle::kEmptyList,
    pickle::kAppend,      pickle::kAppends,         pickle::kEmptySet,       pickle::kAddItems,
    pickle::kFrozenSet,   pickle::kEmptyDict,       pickle::kSetItem,        pickle::kSetItems,
    pickle::kBinPut,      pickle::kLongBinPut,      pickle::kMemoize,        pickle::kBinGet,
    pickle::kLongBinGet,  pickle::kGlobal,          pickle::kStackGlobal,    pickle::kReduce,
    pickle::kNewObj,      pickle::kNewObjEx,        pickle::kBuild,          pickle::kBinPersId};

// Limit of objects. A tensor has some 30, and an object takes about 100 bytes of memory.
constexpr size_t kMaxObjects = 3'000'000;
// Limits of a tensor's dimensions (ATen's dim_bitset_size, ATen/WrapDimUtilsMulti.h) and of a name, far above any real
// one. Without these limits a small pickle could request much memory, since one object may be part of many.
constexpr size_t kMaxDimensions = 64;
constexpr size_t kMaxNameBytes = 1000;
// Limit of the entries of a dict that are kept although they are no tensors, for error messages.
constexpr size_t kMaxOthers = 1000;

constexpr char kBefore[] = "not the pickle of a checkpoint: ";
constexpr char kSaveAlone[] = "; save the weights alone, in Python: torch.save(model.state_dict(), 'weights.pt')";

absl::Status Foreign(absl::string_view what) {
  return absl::FailedPreconditionError(absl::StrCat(kBefore, what, kSaveAlone));
}

bool IsText(const Value& value) { return value.kind == Value::kString || value.kind == Value::kBytes; }

absl::StatusOr<std::string> ToName(absl::string_view text) {
  if (text.size() > kMaxNameBytes) {
    return absl::DataLossError(absl::StrCat("a name of ", text.size(), " bytes; expected at most ", kMaxNameBytes));
  }
  return std::string(text);
}

// Returns the numbers of a tuple, or of the torch.Size that PyTorch before 0.4 saved.
absl::StatusOr<std::vector<int64_t>> ToInts(const Value& value) {
  const bool is_size = IsCallOf(value, kSize) && value.arguments->items.size() == 1;
  const Value& tuple = is_size ? *value.arguments->items[0] : value;
  if (tuple.kind != Value::kTupleKind) {
    return absl::DataLossError("sizes or strides that are not a tuple");
  }
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

// Reads the storage of a tensor from its persistent id: ('storage', type, key, device, elements), and in old files a
// view of another storage as the sixth item.
absl::Status ReadStorage(const Value& value, TensorEntry& tensor) {
  const bool persistent = value.kind == Value::kPersistent && value.items[0]->kind == Value::kTupleKind;
  if (!persistent) {
    return Foreign("a tensor without a storage of its own");
  }
  const auto& id = value.items[0]->items;
  const bool no_view = id.size() == 5 || (id.size() == 6 && id[5]->kind == Value::kNothing);
  if (!no_view || !IsText(*id[0]) || id[0]->text != "storage" || id[1]->kind != Value::kGlobalName || !IsText(*id[2]) ||
      id[4]->kind != Value::kInt) {
    return Foreign("a persistent id that is not ('storage', type, key, device, elements)");
  }
  const DataType* type = StorageClass(*id[1]);
  if (type == nullptr) {
    return Foreign(absl::StrCat("a storage of type ", Describe(*id[1])));
  }
  if (id[4]->number < 0) {
    return absl::DataLossError(absl::StrCat("a storage of ", id[4]->number, " elements"));
  }
  tensor.type = *type;
  ASSIGN_OR_RETURN(tensor.storage_key, ToName(id[2]->text));
  tensor.storage_elements = id[4]->number;
  return absl::OkStatus();
}

// Returns the arguments (storage, offset, sizes, strides, ...) with which Python would make a tensor, or nullopt if
// `value` is no tensor, or one of another kind: sparse, or quantized.
std::optional<Items> TensorArguments(const Value& value) {
  const auto plain = [](const Value& call) -> std::optional<Items> {
    if (!IsCallOf(call, kRebuildTensor) && !IsCallOf(call, kRebuildOldTensor)) {
      return std::nullopt;
    }
    return Items(call.arguments->items);
  };
  if (value.kind != Value::kCall) {
    return std::nullopt;
  }
  const auto& arguments = value.arguments->items;
  if ((IsCallOf(value, kRebuildParameter) || IsCallOf(value, kRebuildParameterWithState)) && !arguments.empty()) {
    return plain(*arguments[0]);
  }
  // _rebuild_from_type_v2(function, type, arguments, state) calls the function and then sets attributes.
  const bool with_attributes = IsCallOf(value, kRebuildFromType) && arguments.size() >= 3 &&
                               IsNameOf(*arguments[0], kRebuildTensor) && arguments[2]->kind == Value::kTupleKind;
  return with_attributes ? Items(arguments[2]->items) : plain(value);
}

absl::StatusOr<TensorEntry> ReadTensor(Items arguments) {
  if (arguments.size() < 4 || arguments[1]->kind != Value::kInt) {
    return Foreign("a tensor without storage, offset, sizes and strides");
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

// Returns keys and values of a dict in turn. The OrderedDict of Python 2 is a call with a list of pairs.
std::vector<const Value*> DictItems(const Value& value) {
  if (value.kind == Value::kDict) {
    return value.items;
  }
  std::vector<const Value*> items;
  if (IsCallOf(value, kOrderedDict) && value.arguments->items.size() == 1) {
    for (const Value* pair : value.arguments->items[0]->items) {
      if ((pair->kind == Value::kList || pair->kind == Value::kTupleKind) && pair->items.size() == 2) {
        items.insert(items.end(), pair->items.begin(), pair->items.end());
      }
    }
  }
  return items;
}

// Returns a key as Python writes it between brackets.
std::string KeyText(const Value& key) {
  return IsText(key)               ? absl::StrCat("'", pickle::Printable(key.text), "'")
         : key.kind == Value::kInt ? absl::StrCat(key.number)
                                   : pickle::Describe(key);
}

// Finds the state dicts in a tree of dicts, lists and tuples. Each object is visited once, so that an object which
// contains itself does no harm.
class Finder {
 public:
  explicit Finder(std::vector<StateDict>& found) : found_(found) {}

  absl::Status Visit(const Value& value, const std::string& place, int depth) {
    if (!MayHold(value) || depth > kMaxDepth || !visited_.insert(&value).second) {
      return absl::OkStatus();
    }
    if (value.kind == Value::kTupleKind || value.kind == Value::kList) {
      for (size_t i = 0; i < value.items.size(); ++i) {
        if (MayHold(*value.items[i])) {
          RETURN_IF_ERROR(Visit(*value.items[i], absl::StrCat(place, "[", i, "]"), depth + 1));
        }
      }
      return absl::OkStatus();
    }
    const std::vector<const Value*> items = DictItems(value);
    RETURN_IF_ERROR(AddStateDict(items, place));
    for (size_t i = 0; i < items.size(); i += 2) {
      if (MayHold(*items[i + 1])) {
        RETURN_IF_ERROR(Visit(*items[i + 1], absl::StrCat(place, "[", KeyText(*items[i]), "]"), depth + 1));
      }
    }
    return absl::OkStatus();
  }

 private:
  static bool MayHold(const Value& value) {
    return value.kind == Value::kDict || value.kind == Value::kTupleKind || value.kind == Value::kList ||
           IsCallOf(value, kOrderedDict);
  }

  // Adds the dict of these items if it holds a tensor.
  absl::Status AddStateDict(const std::vector<const Value*>& items, const std::string& place) {
    StateDict dict;
    dict.place = place;
    for (size_t i = 0; i < items.size(); i += 2) {
      if (!IsText(*items[i])) {
        continue;
      }
      const std::optional<Items> arguments = TensorArguments(*items[i + 1]);
      if (!arguments && dict.others.size() < kMaxOthers) {
        dict.others.emplace_back(pickle::Printable(items[i]->text), Describe(*items[i + 1]));
      }
      if (!arguments) {
        continue;
      }
      if (++tensors_ > kMaxTensors) {
        return absl::DataLossError(absl::StrCat("more than ", kMaxTensors, " tensors"));
      }
      absl::StatusOr<TensorEntry> tensor = ReadTensor(*arguments);
      if (!tensor.ok()) {
        return absl::Status(tensor.status().code(), absl::StrCat("entry ", place, place.empty() ? "" : " ",
                                                                 KeyText(*items[i]), ": ", tensor.status().message()));
      }
      dict.tensors.push_back(*std::move(tensor));
      ASSIGN_OR_RETURN(dict.tensors.back().name, ToName(items[i]->text));
    }
    if (!dict.tensors.empty()) {
      found_.push_back(std::move(dict));
    }
    return absl::OkStatus();
  }

  std::vector<StateDict>& found_;
  std::unordered_set<const Value*> visited_;
  size_t tensors_ = 0;
};

// Returns true if `value` is a torch.nn.Module: an object whose state has its parameters and its children.
bool IsModule(const Value& value) {
  if (value.kind != Value::kCall || value.state == nullptr || value.state->kind != Value::kDict) {
    return false;
  }
  const auto& items = value.state->items;
  for (size_t i = 0; i < items.size(); i += 2) {
    if (IsText(*items[i]) && (items[i]->text == "_modules" || items[i]->text == "_parameters")) {
      return true;
    }
  }
  return false;
}

// Checks that every object and function which the pickle names is on the list.
absl::Status CheckGlobals(const pickle::Objects& objects) {
  for (const Value& value : objects.all) {
    if (IsModule(value)) {
      const Value& whole = IsModule(*objects.root) ? *objects.root : value;
      return absl::FailedPreconditionError(
          absl::StrCat("a whole module of class ", pickle::Printable(whole.module), ".", pickle::Printable(whole.text),
                       ", whose Python code is not here and is never run", kSaveAlone));
    }
  }
  for (const Value& value : objects.all) {
    if (value.kind == Value::kGlobalName && !IsKnownGlobal(value)) {
      return Foreign(absl::StrCat("it names ", Describe(value), " at byte ", value.at,
                                  ", which is not on the list of plain values and is never run"));
    }
  }
  return absl::OkStatus();
}

// Collects the storages that any tensor refers to, those of the optimizer included.
absl::Status CollectStorages(const pickle::Objects& objects, std::map<std::string, PickledStorage>& storages) {
  for (const Value& value : objects.all) {
    if (value.kind != Value::kPersistent) {
      continue;
    }
    TensorEntry tensor;
    RETURN_IF_ERROR(ReadStorage(value, tensor));
    const auto [found, is_new] =
        storages.emplace(tensor.storage_key, PickledStorage{tensor.type, tensor.storage_elements});
    if (!is_new && (found->second.type.name != tensor.type.name || found->second.elements != tensor.storage_elements)) {
      return absl::DataLossError(
          absl::StrCat("storage '", pickle::Printable(tensor.storage_key), "' has two types or sizes"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

const pickle::Dialect& CheckpointDialect() {
  static const auto* dialect = [] {
    auto* made = new pickle::Dialect;
    made->before = kBefore;
    made->after = kSaveAlone;
    made->opcodes = kOpcodes;
    made->first_protocol = 2;
    made->last_protocol = 5;
    made->protocols = "expected 2 to 5";
    made->dict_class = &kOrderedDict;
    made->max_objects = kMaxObjects;
    return made;
  }();
  return *dialect;
}

absl::StatusOr<PickledWeights> ParsePickledWeights(absl::string_view bytes) {
  ASSIGN_OR_RETURN(const pickle::Objects objects,
                   pickle::ReadPickle(bytes.substr(0, kMaxPickleBytes), CheckpointDialect()));
  RETURN_IF_ERROR(CheckGlobals(objects));
  PickledWeights weights;
  weights.size = objects.size;
  RETURN_IF_ERROR(CollectStorages(objects, weights.storages));
  RETURN_IF_ERROR(Finder(weights.state_dicts).Visit(*objects.root, "", 0));
  return weights;
}

}  // namespace lockstep
