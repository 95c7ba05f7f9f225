// Hands a file descriptor from one process of this host to others, over an abstract unix socket (unix(7)): its name is in
// no file system and is gone with the process, and only processes of one network namespace and one user get through.
#ifndef LOCKSTEP_LIB_PEER_DESCRIPTOR_SOCKET_H_
#define LOCKSTEP_LIB_PEER_DESCRIPTOR_SOCKET_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace lockstep {

// A descriptor that is closed with its owner; -1: none.
class OwnedDescriptor {
 public:
  explicit OwnedDescriptor(int fd = -1) : fd_(fd) {}
  OwnedDescriptor(OwnedDescriptor&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  OwnedDescriptor& operator=(OwnedDescriptor&& other) noexcept;
  ~OwnedDescriptor();

  int get() const { return fd_; }

 private:
  int fd_;
};

// `bytes` random bytes of the kernel as hexadecimal digits. Errors as RandomBytes (lib/base/random_bytes.h).
absl::StatusOr<std::string> RandomHex(size_t bytes);

// Listens under `name`, which has up to 100 bytes and nobody can guess. FailedPrecondition: the kernel refuses.
absl::StatusOr<OwnedDescriptor> ListenForDescriptors(absl::string_view name);

// Hands `fd` to every process of this user that has connected so far, and closes its connection. Waits for nobody.
absl::Status HandOutDescriptor(int listener, int fd);

// Connects without waiting. FailedPrecondition: nobody listens there, or a process of another user does.
absl::StatusOr<OwnedDescriptor> ConnectForDescriptor(absl::string_view name);

// The descriptor that comes over the connection. FailedPrecondition: none came within `timeout`, or this process was
// refused.
absl::StatusOr<OwnedDescriptor> ReceiveDescriptor(int connection, absl::Duration timeout);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_DESCRIPTOR_SOCKET_H_
