// Globals in the pickles of state_dict_pickle.h, for writer and reader.
#ifndef LOCKSTEP_LIB_NN_STATE_DICT_GLOBALS_H_
#define LOCKSTEP_LIB_NN_STATE_DICT_GLOBALS_H_

#include "lib/nn/data_type.h"
#include "lib/pickle/value.h"

namespace lockstep {

inline constexpr pickle::Global kOrderedDict = {"collections", "OrderedDict"};
inline constexpr pickle::Global kRebuildTensor = {"torch._utils", "_rebuild_tensor_v2"};
inline constexpr pickle::Global kRebuildOldTensor = {"torch._utils", "_rebuild_tensor"};  // PyTorch before 0.4
inline constexpr pickle::Global kRebuildParameter = {"torch._utils", "_rebuild_parameter"};
inline constexpr pickle::Global kRebuildParameterWithState = {"torch._utils", "_rebuild_parameter_with_state"};
// Tensor with attributes of its own: (function that makes the tensor, type, arguments of the function, attributes).
inline constexpr pickle::Global kRebuildFromType = {"torch._tensor", "_rebuild_from_type_v2"};
inline constexpr pickle::Global kSize = {"torch", "Size"};

// Returns the data type of a storage class such as `torch FloatStorage`, or null if `value` does not name one.
const DataType* StorageClass(const pickle::Value& value);

// Returns true if checkpoints may contain `global`: a storage class, or one of a list of plain values that training
// scripts save next to the weights (numbers, paths, argparse.Namespace, settings of Lightning).
bool IsKnownGlobal(const pickle::Value& global);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_NN_STATE_DICT_GLOBALS_H_
