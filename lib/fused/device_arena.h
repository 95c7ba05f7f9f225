// DeviceArena: all device memory of a training step in one allocation. The pieces are requested first, so that the
// total size is known before memory is allocated. A network that does not fit is refused before any kernel runs.
#ifndef LOCKSTEP_LIB_FUSED_DEVICE_ARENA_H_
#define LOCKSTEP_LIB_FUSED_DEVICE_ARENA_H_

#include <cstddef>
#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "lib/cuda/device_buffer.h"

namespace lockstep {

class DeviceArena {
 public:
  // Requests `count` values. Allocate() sets `pointer` to them, aligned to 256 bytes; `pointer` must outlive that call.
  // Must not be called after Allocate().
  template <typename T>
  void Take(size_t count, T*& pointer) {
    const size_t offset = bytes_;
    assign_.push_back([&pointer, offset](char* base) { pointer = reinterpret_cast<T*>(base + offset); });
    bytes_ += (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
  }

  // Allocates and zeroes the memory and sets the pointers. May be called once. Returns ResourceExhaustedError, with the
  // requested size, if the memory does not fit.
  absl::Status Allocate();

  size_t bytes() const { return bytes_; }

 private:
  static constexpr size_t kAlignment = 256;  // alignment of cudaMalloc

  size_t bytes_ = 0;
  DeviceBuffer memory_;
  std::vector<std::function<void(char*)>> assign_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_DEVICE_ARENA_H_
