// Globals in the pickles of state_dict_pickle.h, for writer and reader.
#ifndef LOCKSTEP_LIB_NN_STATE_DICT_GLOBALS_H_
#define LOCKSTEP_LIB_NN_STATE_DICT_GLOBALS_H_

#include "lib/pickle/value.h"

namespace lockstep {

inline constexpr pickle::Global kOrderedDict = {"collections", "OrderedDict"};
inline constexpr pickle::Global kRebuildTensor = {"torch._utils", "_rebuild_tensor_v2"};
inline constexpr pickle::Global kRebuildParameter = {"torch._utils", "_rebuild_parameter"};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_NN_STATE_DICT_GLOBALS_H_
