// Size limits of a folder or an archive of CIFAR-10, checked before memory is allocated.
//
// CIFAR-10 needs at most 60,000 pictures and 23 folders. Its largest file is a data_batch_N of the Python version,
// 31,035,704 bytes; all files together have 186 MB.
#ifndef LOCKSTEP_LIB_CIFAR_SOURCE_LIMITS_H_
#define LOCKSTEP_LIB_CIFAR_SOURCE_LIMITS_H_

#include <cstdint>

namespace lockstep {

inline constexpr uint64_t kMaxSourceFiles = 200'000;  // members of an archive, including folders
inline constexpr uint64_t kMaxSourceFileBytes = uint64_t{64} << 20;
inline constexpr uint64_t kMaxSourceBytes = uint64_t{1} << 30;  // bytes of an archive, packed and unpacked

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_SOURCE_LIMITS_H_
