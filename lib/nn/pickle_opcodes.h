// The words of the pickles that state_dict_pickle.h speaks of, for its writer and its reader.
#ifndef LOCKSTEP_LIB_NN_PICKLE_OPCODES_H_
#define LOCKSTEP_LIB_NN_PICKLE_OPCODES_H_

namespace lockstep::pickle {

// The opcodes used, under the names of Python's pickletools.
enum Op : unsigned char {
  kMark = '(', kStop = '.', kBinInt = 'J', kBinInt1 = 'K', kBinInt2 = 'M', kNone = 'N', kBinPersId = 'Q', kReduce = 'R',
  kBinUnicode = 'X', kEmptyList = ']', kBuild = 'b', kGlobal = 'c', kBinGet = 'h', kLongBinGet = 'j', kBinPut = 'q',
  kLongBinPut = 'r', kSetItem = 's', kTuple = 't', kSetItems = 'u', kEmptyDict = '}', kEmptyTuple = ')', kProto = 0x80,
  kTuple1 = 0x85, kTuple2 = 0x86, kTuple3 = 0x87, kNewTrue = 0x88, kNewFalse = 0x89, kLong1 = 0x8A,
};

// "module name" of what may be called.
inline constexpr char kOrderedDict[] = "collections OrderedDict";
inline constexpr char kRebuildTensor[] = "torch._utils _rebuild_tensor_v2";
inline constexpr char kRebuildParameter[] = "torch._utils _rebuild_parameter";

}  // namespace lockstep::pickle

#endif  // LOCKSTEP_LIB_NN_PICKLE_OPCODES_H_
