// Passing of a file descriptor from one process of this host to others, over an abstract unix socket (unix(7)). The
// socket's name is in no file system and disappears with the process. Only processes of the same network namespace and
// the same user can receive the descriptor.
#ifndef LOCKSTEP_LIB_PEER_DESCRIPTOR_SOCKET_H_
#define LOCKSTEP_LIB_PEER_DESCRIPTOR_SOCKET_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lib/base/owned_descriptor.h"

namespace lockstep {

// Returns `bytes` random bytes from the kernel as hexadecimal digits. Errors are those of RandomBytes
// (lib/base/random_bytes.h).
absl::StatusOr<std::string> RandomHex(size_t bytes);

// Listens under `name`, which must have at most 100 bytes and must not be guessable. Returns FailedPreconditionError if
// the kernel refuses.
absl::StatusOr<OwnedDescriptor> ListenForDescriptors(absl::string_view name);

// Sends `fd` to every process of this user that has connected so far, and closes the connections. Does not wait.
absl::Status HandOutDescriptor(int listener, int fd);

// Connects without waiting. Returns FailedPreconditionError if no process listens there, or if a process of another
// user does.
absl::StatusOr<OwnedDescriptor> ConnectForDescriptor(absl::string_view name);

// Waits for a descriptor on the connection and returns it. Returns FailedPreconditionError if no descriptor came within
// `timeout`, or this process was refused.
absl::StatusOr<OwnedDescriptor> ReceiveDescriptor(int connection, absl::Duration timeout);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_DESCRIPTOR_SOCKET_H_
