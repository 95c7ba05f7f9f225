#include "lib/launch/loopback.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "lib/base/owned_descriptor.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"

namespace lockstep {
namespace {

constexpr int kTimeoutMilliseconds = 5000;

// Returns a non-blocking TCP socket.
OwnedDescriptor NewSocket() { return OwnedDescriptor(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)); }

absl::Status Failed(int error) {
  return absl::UnavailableError(absl::StrCat("the ranks meet at ", kLoopback,
                                             ", which cannot be reached: ", std::strerror(error),
                                             "; bring the loopback device up (ip link set lo up)"));
}

// Listens at a free port and returns its address in `address`.
absl::Status Listen(const OwnedDescriptor& listener, sockaddr_in& address) {
  address = {};
  address.sin_family = AF_INET;
  inet_pton(AF_INET, kLoopback, &address.sin_addr);
  socklen_t size = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  const bool listens = bind(listener.get(), any, size) == 0 && listen(listener.get(), 1) == 0 &&
                       getsockname(listener.get(), any, &size) == 0;
  return listens ? absl::OkStatus() : Failed(errno);
}

// Waits for the result of a connection attempt.
absl::Status Await(const OwnedDescriptor& client) {
  pollfd writable = {client.get(), POLLOUT, 0};
  const int ready = poll(&writable, 1, kTimeoutMilliseconds);
  if (ready < 0 && errno == EINTR) {
    RETURN_IF_ERROR(CheckNotStopped());
    return Await(client);
  }
  int error = ready == 0 ? ETIMEDOUT : errno;
  socklen_t size = sizeof(error);
  if (ready > 0 && getsockopt(client.get(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0) {
    return absl::OkStatus();
  }
  return Failed(error);
}

}  // namespace

absl::Status CheckLoopback() {
  const OwnedDescriptor listener = NewSocket(), client = NewSocket();
  sockaddr_in address;
  RETURN_IF_ERROR(Listen(listener, address));
  if (connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) {
    return absl::OkStatus();
  }
  return errno == EINPROGRESS ? Await(client) : Failed(errno);
}

}  // namespace lockstep
