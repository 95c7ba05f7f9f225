// Communication dtype of the gradients between ranks. Independent of CUDA.
#ifndef LOCKSTEP_LIB_COLLECTIVES_COMMUNICATION_DTYPE_H_
#define LOCKSTEP_LIB_COLLECTIVES_COMMUNICATION_DTYPE_H_

#include <cstdint>

namespace lockstep {

enum class CommunicationDtype {
  kFp32,
  kBf16,  // rounded to nearest before the sum and in each of its additions, like torch's bf16_compress_hook
};

inline constexpr uint64_t BytesPerElement(CommunicationDtype dtype) {
  return dtype == CommunicationDtype::kBf16 ? 2 : 4;
}

// Returns the largest relative error of one rounding: 2^-p, where p counts the significand's bits with the leading one.
inline constexpr double UnitRoundoff(CommunicationDtype dtype) {
  return dtype == CommunicationDtype::kBf16 ? 0x1p-8 : 0x1p-24;
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COLLECTIVES_COMMUNICATION_DTYPE_H_
