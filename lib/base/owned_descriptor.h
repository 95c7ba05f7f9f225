// File descriptor with an owner: it is closed exactly once, at the end of its owner's life.
#ifndef LOCKSTEP_LIB_BASE_OWNED_DESCRIPTOR_H_
#define LOCKSTEP_LIB_BASE_OWNED_DESCRIPTOR_H_

#include <unistd.h>

#include <utility>

namespace lockstep {

// Move-only. -1: no descriptor, so that the result of a failed open(2) can be passed as it is; the constructor keeps
// errno.
class OwnedDescriptor {
 public:
  explicit OwnedDescriptor(int fd = -1) : fd_(fd) {}
  OwnedDescriptor(OwnedDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  OwnedDescriptor& operator=(OwnedDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~OwnedDescriptor() {
    if (fd_ >= 0) {
      close(fd_);
    }
  }

  int get() const { return fd_; }

 private:
  int fd_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_OWNED_DESCRIPTOR_H_
