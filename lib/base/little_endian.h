// Little-endian numbers in the bytes of a file.
#ifndef LOCKSTEP_LIB_BASE_LITTLE_ENDIAN_H_
#define LOCKSTEP_LIB_BASE_LITTLE_ENDIAN_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace lockstep {

// Returns the unsigned number whose bytes, the lowest first, are all of `bytes`. The caller must ensure that there are
// at most 8.
uint64_t LittleEndian(absl::string_view bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_LITTLE_ENDIAN_H_
