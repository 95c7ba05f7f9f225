// AlignedBuffer: memory that begins at a cache line and may be read somewhat beyond its end.
#ifndef LOCKSTEP_LIB_INT8_CPU_ALIGNED_BUFFER_H_
#define LOCKSTEP_LIB_INT8_CPU_ALIGNED_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

namespace lockstep {

class AlignedBuffer {
 public:
  static constexpr size_t kAlignment = 64;
  static constexpr size_t kReadable = 64;  // bytes after the end that may be read: zeros

  AlignedBuffer() = default;
  explicit AlignedBuffer(size_t bytes)
      : data_(static_cast<uint8_t*>(::operator new (bytes + kReadable, std::align_val_t{kAlignment}))) {
    std::memset(data_.get(), 0, bytes + kReadable);
  }

  uint8_t* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(uint8_t* data) const { ::operator delete (data, std::align_val_t{kAlignment}); }
  };
  std::unique_ptr<uint8_t, Free> data_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CPU_ALIGNED_BUFFER_H_
