#include "lib/launch/loopback.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"

namespace lockstep {
namespace {

constexpr int kTimeoutMilliseconds = 5000;

// Non-blocking TCP socket that is closed by the destructor.
class Socket {
 public:
  Socket() : fd_(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {}
  ~Socket() {
    if (fd_ >= 0) {
      close(fd_);
    }
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int fd() const { return fd_; }

 private:
  const int fd_;
};

absl::Status Failed(int error) {
  return absl::UnavailableError(absl::StrCat("the ranks meet at ", kLoopback,
                                             ", which cannot be reached: ", std::strerror(error),
                                             "; bring the loopback device up (ip link set lo up)"));
}

// Listens at a free port and returns its address in `address`.
absl::Status Listen(const Socket& listener, sockaddr_in& address) {
  address = {};
  address.sin_family = AF_INET;
  inet_pton(AF_INET, kLoopback, &address.sin_addr);
  socklen_t size = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  const bool listens = bind(listener.fd(), any, size) == 0 && listen(listener.fd(), 1) == 0 &&
                       getsockname(listener.fd(), any, &size) == 0;
  return listens ? absl::OkStatus() : Failed(errno);
}

// Waits for the result of a connection attempt.
absl::Status Await(const Socket& client) {
  pollfd writable = {client.fd(), POLLOUT, 0};
  const int ready = poll(&writable, 1, kTimeoutMilliseconds);
  if (ready < 0 && errno == EINTR) {
    RETURN_IF_ERROR(CheckNotStopped());
    return Await(client);
  }
  int error = ready == 0 ? ETIMEDOUT : errno;
  socklen_t size = sizeof(error);
  if (ready > 0 && getsockopt(client.fd(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0) {
    return absl::OkStatus();
  }
  return Failed(error);
}

}  // namespace

absl::Status CheckLoopback() {
  const Socket listener, client;
  sockaddr_in address;
  RETURN_IF_ERROR(Listen(listener, address));
  if (connect(client.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) {
    return absl::OkStatus();
  }
  return errno == EINPROGRESS ? Await(client) : Failed(errno);
}

}  // namespace lockstep
