// Opcodes of pickles, with the names of Python's pickletools, which documents each of them.
#ifndef LOCKSTEP_LIB_PICKLE_OPCODES_H_
#define LOCKSTEP_LIB_PICKLE_OPCODES_H_

#include <string>

namespace lockstep::pickle {

// Opcodes that machine.h supports; a dialect accepts some of them.
enum Op : unsigned char {
  kMark = '(',
  kStop = '.',
  kBinBytes = 'B',
  kShortBinBytes = 'C',
  kBinFloat = 'G',
  kBinInt = 'J',
  kBinInt1 = 'K',
  kBinInt2 = 'M',
  kNone = 'N',
  kBinPersId = 'Q',
  kReduce = 'R',
  kBinString = 'T',
  kShortBinString = 'U',
  kBinUnicode = 'X',
  kAppend = 'a',
  kBuild = 'b',
  kGlobal = 'c',
  kAppends = 'e',
  kBinGet = 'h',
  kLongBinGet = 'j',
  kBinPut = 'q',
  kLongBinPut = 'r',
  kSetItem = 's',
  kTuple = 't',
  kSetItems = 'u',
  kEmptyDict = '}',
  kEmptyTuple = ')',
  kEmptyList = ']',
  kProto = 0x80,
  kNewObj = 0x81,
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kNewTrue = 0x88,
  kNewFalse = 0x89,
  kLong1 = 0x8A,
  kLong4 = 0x8B,
  kShortBinUnicode = 0x8C,
  kBinUnicode8 = 0x8D,
  kBinBytes8 = 0x8E,
  kEmptySet = 0x8F,
  kAddItems = 0x90,
  kFrozenSet = 0x91,
  kNewObjEx = 0x92,
  kStackGlobal = 0x93,
  kMemoize = 0x94,
  kFrame = 0x95,
  kByteArray8 = 0x96,
};

// Returns the name of any opcode of protocols 0 to 5, whether in Op or not: "GLOBAL" for 'c'. Returns "0xFF" for a byte
// that is not an opcode.
std::string OpcodeName(unsigned char opcode);

}  // namespace lockstep::pickle

#endif  // LOCKSTEP_LIB_PICKLE_OPCODES_H_
