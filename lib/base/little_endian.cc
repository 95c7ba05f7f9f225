#include "lib/base/little_endian.h"

namespace lockstep {

uint64_t LittleEndian(absl::string_view bytes) {
  uint64_t value = 0;
  for (auto byte = bytes.rbegin(); byte != bytes.rend(); ++byte) {
    value = value << 8 | static_cast<unsigned char>(*byte);
  }
  return value;
}

}  // namespace lockstep
