// Byte vector whose resize() leaves new bytes uninitialized.
//
// std::vector clears new elements. The pixels of CIFAR-10 are 184 MB, which one core clears in 25 to 30 ms before all
// cores write them, 3 % of the conversion of a folder of pictures (Xeon 2.8 GHz, 2026-11-21). Clearing also makes the
// system find and clear the pages one after another, another 70 ms; without it, the threads that first write the pages
// share that cost.
#ifndef LOCKSTEP_LIB_DATASET_PIXEL_BYTES_H_
#define LOCKSTEP_LIB_DATASET_PIXEL_BYTES_H_

#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace lockstep {

// std::allocator, except that construct() without a value does not initialize.
template <typename T>
class UnsetAllocator : public std::allocator<T> {
 public:
  template <typename U>
  struct rebind {  // name required by std::allocator_traits
    using other = UnsetAllocator<U>;
  };

  UnsetAllocator() = default;
  template <typename U>
  explicit UnsetAllocator(const UnsetAllocator<U>&) {}

  template <typename U>
  void construct(U* where) {
    ::new (static_cast<void*>(where)) U;
  }
  template <typename U, typename... Arguments>
  void construct(U* where, Arguments&&... arguments) {
    ::new (static_cast<void*>(where)) U(std::forward<Arguments>(arguments)...);
  }
};

using PixelBytes = std::vector<uint8_t, UnsetAllocator<uint8_t>>;

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DATASET_PIXEL_BYTES_H_
