// Size limits of a folder or an archive, checked before memory is allocated.
//
// CIFAR-10 needs at most 60,000 pictures and 23 folders. The largest file of CIFAR-10 is a data_batch_N of the Python
// version, 31,035,704 bytes; that of CIFAR-100 is train.bin or `train`, 155 MB. All files of a set have 187 MB.
#ifndef LOCKSTEP_LIB_CIFAR_SOURCE_LIMITS_H_
#define LOCKSTEP_LIB_CIFAR_SOURCE_LIMITS_H_

#include <cstdint>

namespace lockstep {

inline constexpr uint64_t kMaxSourceFiles = 200'000;  // members of an archive, including folders
inline constexpr uint64_t kMaxSourceFileBytes = uint64_t{256} << 20;
inline constexpr uint64_t kMaxSourceBytes = uint64_t{1} << 30;  // bytes of an archive, packed and unpacked

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_SOURCE_LIMITS_H_
