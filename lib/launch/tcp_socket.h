// TCP sockets that listen or connect. No call blocks longer than its limit, and no descriptor survives an exec.
#ifndef LOCKSTEP_LIB_LAUNCH_TCP_SOCKET_H_
#define LOCKSTEP_LIB_LAUNCH_TCP_SOCKET_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lib/base/monotonic_time.h"
#include "lib/base/owned_descriptor.h"

namespace lockstep {

// Owner of a socket; -1: no socket.
class TcpSocket {
 public:
  explicit TcpSocket(int fd = -1) : descriptor_(fd) {}

  int fd() const { return descriptor_.get(); }

 private:
  OwnedDescriptor descriptor_;
};

// Listens on `address`, a numeric address such as "127.0.0.1" or "fd00::1"; if empty, on all IPv4 and IPv6 addresses of
// this host. `port` 0 means any free port. Returns UnavailableError if the port is taken or the address does not belong
// to this host.
absl::StatusOr<TcpSocket> ListenOn(const std::string& address, uint16_t port);

// Accepts the next connection without waiting. Returns a TcpSocket without a descriptor if no connection waits. Returns
// UnavailableError if no descriptor or memory is left; the connection then still waits.
absl::StatusOr<TcpSocket> TryAccept(const TcpSocket& listener);

// Connects; tries each address of the host once. Returns UnavailableError if no address responds within 2 s.
absl::StatusOr<TcpSocket> ConnectOnce(const std::string& host, uint16_t port);

// Waits at most `timeout`. Returns true if there is something to read, or the connection has ended.
bool WaitReadable(const TcpSocket& socket, absl::Duration timeout);

// Sends all of `bytes`. Returns UnavailableError if the other end is gone, or has not accepted all bytes by `deadline`
// or 2 s after a stop signal.
absl::Status SendAll(const TcpSocket& socket, absl::string_view bytes, MonotonicTime deadline);

// Turns off Nagle's algorithm (TCP_NODELAY), because the other end waits for each small message.
void SetNoDelay(const TcpSocket& socket);

uint16_t LocalPort(const TcpSocket& socket);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_TCP_SOCKET_H_
