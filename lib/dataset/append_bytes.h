// Appending of bytes of a file or a message to pixels.
#ifndef LOCKSTEP_LIB_DATASET_APPEND_BYTES_H_
#define LOCKSTEP_LIB_DATASET_APPEND_BYTES_H_

#include <algorithm>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "lib/dataset/pixel_bytes.h"

namespace lockstep {

// Appends bytes to pixels. A vector with a custom allocator copies and moves its bytes one by one for any types.
inline void AppendBytes(absl::string_view bytes, PixelBytes& out) {
  const size_t old_size = out.size();
  const size_t new_size = old_size + bytes.size();
  if (new_size > out.capacity()) {
    PixelBytes larger;
    larger.reserve(std::max(new_size, 2 * out.capacity()));
    larger.resize(old_size);
    std::copy_n(out.data(), old_size, larger.data());
    out.swap(larger);
  }
  out.resize(new_size);
  std::copy_n(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), out.data() + old_size);
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DATASET_APPEND_BYTES_H_
