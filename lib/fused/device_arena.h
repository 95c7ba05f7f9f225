// All device memory of a training step in one piece: asked for piece by piece, known in size before it is taken, then
// allocated at once. A network that does not fit is so refused before anything runs.
#ifndef LOCKSTEP_LIB_FUSED_DEVICE_ARENA_H_
#define LOCKSTEP_LIB_FUSED_DEVICE_ARENA_H_

#include <cstddef>
#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "lib/kernels/device_buffer.h"

namespace lockstep {

class DeviceArena {
 public:
  // Wants `count` values; `pointer`, which must outlive Allocate, is set by it, aligned to 256 bytes. Not after
  // Allocate.
  template <typename T>
  void Take(size_t count, T*& pointer) {
    const size_t offset = bytes_;
    assign_.push_back([&pointer, offset](char* base) { pointer = reinterpret_cast<T*>(base + offset); });
    bytes_ += (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
  }

  // Allocates, zeroes and sets the pointers; once. ResourceExhausted: says how much was wanted.
  absl::Status Allocate();

  size_t bytes() const { return bytes_; }

 private:
  static constexpr size_t kAlignment = 256;  // what cudaMalloc aligns to

  size_t bytes_ = 0;
  DeviceBuffer memory_;
  std::vector<std::function<void(char*)>> assign_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_DEVICE_ARENA_H_
