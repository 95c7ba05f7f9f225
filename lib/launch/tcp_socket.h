// TCP sockets between hosts: one that listens, one that connects. None blocks for longer than it is told, and none outlives
// an exec.
#ifndef LOCKSTEP_LIB_LAUNCH_TCP_SOCKET_H_
#define LOCKSTEP_LIB_LAUNCH_TCP_SOCKET_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace lockstep {

// A descriptor that is closed at the end; -1: none.
class TcpSocket {
 public:
  explicit TcpSocket(int fd = -1) : fd_(fd) {}
  ~TcpSocket();
  TcpSocket(TcpSocket&& other) : fd_(std::exchange(other.fd_, -1)) {}
  TcpSocket& operator=(TcpSocket&& other) {
    std::swap(fd_, other.fd_);
    return *this;
  }

  int fd() const { return fd_; }

 private:
  int fd_;
};

// Listens on all addresses of this host, IPv4 and IPv6. `port` 0: any free one. Unavailable: the port is taken.
absl::StatusOr<TcpSocket> ListenOn(uint16_t port);

// The next that connects. No descriptor when nobody did within `patience`.
TcpSocket Accept(const TcpSocket& listener, absl::Duration patience);

// Connects, trying again while nobody listens. Unavailable: nobody did by `deadline`. Cancelled: a stop signal.
absl::StatusOr<TcpSocket> ConnectTo(const std::string& host, uint16_t port, absl::Time deadline);

// Whether there is something to read, after at most `patience`.
bool WaitReadable(const TcpSocket& socket, absl::Duration patience);

uint16_t LocalPort(const TcpSocket& socket);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_TCP_SOCKET_H_
