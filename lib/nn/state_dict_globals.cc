#include "lib/nn/state_dict_globals.h"

#include <algorithm>
#include <iterator>

namespace lockstep {
namespace {

using pickle::Global;
using pickle::Value;

// Globals besides storage classes and those of the header. None of them is ever looked up or run; the list keeps out
// files with anything that a checkpoint does not need.
constexpr Global kPlainValues[] = {
    // Python. The names of Python 2 are those of protocol 2, too.
    {"__builtin__", "bytearray"},
    {"__builtin__", "complex"},
    {"__builtin__", "dict"},
    {"__builtin__", "float"},
    {"__builtin__", "frozenset"},
    {"__builtin__", "getattr"},
    {"__builtin__", "int"},
    {"__builtin__", "list"},
    {"__builtin__", "long"},
    {"__builtin__", "set"},
    {"__builtin__", "slice"},
    {"__builtin__", "str"},
    {"__builtin__", "unicode"},
    {"__builtin__", "xrange"},
    {"builtins", "bytearray"},
    {"builtins", "complex"},
    {"builtins", "dict"},
    {"builtins", "float"},
    {"builtins", "frozenset"},
    {"builtins", "getattr"},
    {"builtins", "int"},
    {"builtins", "list"},
    {"builtins", "range"},
    {"builtins", "set"},
    {"builtins", "slice"},
    {"builtins", "str"},
    {"_codecs", "encode"},
    {"argparse", "Namespace"},
    {"collections", "Counter"},
    {"collections", "defaultdict"},
    {"collections", "deque"},
    {"datetime", "date"},
    {"datetime", "datetime"},
    {"datetime", "timedelta"},
    {"pathlib", "PosixPath"},
    {"pathlib", "PurePosixPath"},
    {"pathlib", "WindowsPath"},
    {"types", "SimpleNamespace"},
    {"typing", "Any"},
    // NumPy: scalars, arrays, and the states of random generators.
    {"numpy", "dtype"},
    {"numpy", "ndarray"},
    {"numpy._core.multiarray", "_reconstruct"},
    {"numpy._core.multiarray", "scalar"},
    {"numpy._core.numeric", "_frombuffer"},
    {"numpy.core.multiarray", "_reconstruct"},
    {"numpy.core.multiarray", "scalar"},
    {"numpy.core.numeric", "_frombuffer"},
    // PyTorch. Before 2.1, the state of OneCycleLR holds getattr(OneCycleLR, "_annealing_cos").
    {"torch", "Tensor"},
    {"torch", "bfloat16"},
    {"torch", "bool"},
    {"torch", "device"},
    {"torch", "float16"},
    {"torch", "float32"},
    {"torch", "float64"},
    {"torch", "int32"},
    {"torch", "int64"},
    {"torch", "uint8"},
    {"torch._utils", "_rebuild_qtensor"},
    {"torch._utils", "_rebuild_sparse_tensor"},
    {"torch._utils", "_rebuild_tensor_v3"},
    {"torch.nn.parameter", "Parameter"},
    {"torch.optim.lr_scheduler", "OneCycleLR"},
    // Lightning and OmegaConf: hyperparameters, and callbacks that are keys of their states.
    {"lightning.fabric.utilities.data", "AttributeDict"},
    {"lightning.pytorch.callbacks.early_stopping", "EarlyStopping"},
    {"lightning.pytorch.callbacks.model_checkpoint", "ModelCheckpoint"},
    {"lightning_fabric.utilities.data", "AttributeDict"},
    {"pytorch_lightning.callbacks.early_stopping", "EarlyStopping"},
    {"pytorch_lightning.callbacks.model_checkpoint", "ModelCheckpoint"},
    {"pytorch_lightning.utilities.parsing", "AttributeDict"},
    {"omegaconf.base", "ContainerMetadata"},
    {"omegaconf.base", "Metadata"},
    {"omegaconf.dictconfig", "DictConfig"},
    {"omegaconf.listconfig", "ListConfig"},
    {"omegaconf.nodes", "AnyNode"}};

constexpr Global kInterpreted[] = {
    kOrderedDict,     kRebuildTensor, kRebuildOldTensor, kRebuildParameter, kRebuildParameterWithState,
    kRebuildFromType, kSize};

}  // namespace

const DataType* StorageClass(const Value& value) {
  const bool of_torch = value.module == "torch" || value.module == "torch.cuda" || value.module == "torch.storage";
  return value.kind == Value::kGlobalName && of_torch ? FindStorageClass(value.text) : nullptr;
}

bool IsKnownGlobal(const Value& global) {
  const auto is_it = [&](const Global& known) { return IsNameOf(global, known); };
  return std::any_of(std::begin(kInterpreted), std::end(kInterpreted), is_it) ||
         std::any_of(std::begin(kPlainValues), std::end(kPlainValues), is_it) || StorageClass(global) != nullptr;
}

}  // namespace lockstep
