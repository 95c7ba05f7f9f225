// TCP sockets between hosts: one that listens, one that connects. None blocks for longer than it is told, and none
// outlives an exec.
#ifndef LOCKSTEP_LIB_LAUNCH_TCP_SOCKET_H_
#define LOCKSTEP_LIB_LAUNCH_TCP_SOCKET_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lib/base/monotonic_time.h"

namespace lockstep {

// A descriptor that is closed at the end; -1: no descriptor.
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

// Listens on `address`, a number such as "127.0.0.1" or "fd00::1"; empty: on all addresses of this host, IPv4 and IPv6.
// `port` 0: any free one. Returns UnavailableError if the port is taken, or the address is not this host's.
absl::StatusOr<TcpSocket> ListenOn(const std::string& address, uint16_t port);

// Accepts the next connection without waiting. Returns no descriptor if there is none, and UnavailableError if the
// process or the machine has no descriptor or memory left for one: the connection then still waits.
absl::StatusOr<TcpSocket> AcceptNow(const TcpSocket& listener);

// Connects, trying each address of the host once. Returns UnavailableError if none of them answers within 2 s.
absl::StatusOr<TcpSocket> ConnectOnce(const std::string& host, uint16_t port);

// Returns whether there is something to read, or an end of the connection, after at most `patience`.
bool WaitReadable(const TcpSocket& socket, absl::Duration patience);

// Sends all of `bytes`. Returns UnavailableError if the other end is gone, or has not taken all until `deadline`, or until
// 2 s after a stop signal.
absl::Status SendAll(const TcpSocket& socket, absl::string_view bytes, MonotonicTime deadline);

// Sends small messages at once: somebody waits for each of them.
void SendWithoutDelay(const TcpSocket& socket);

uint16_t LocalPort(const TcpSocket& socket);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_TCP_SOCKET_H_
