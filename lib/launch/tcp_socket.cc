#include "lib/launch/tcp_socket.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "lib/base/stop_signal.h"
#include "lib/launch/tcp_address.h"

namespace lockstep {
namespace {

constexpr int kFlags = SOCK_NONBLOCK | SOCK_CLOEXEC;
constexpr absl::Duration kConnectTimeout = absl::Seconds(2);  // limit for the response of one address
constexpr absl::Duration kStopGrace = absl::Seconds(2);       // limit for sending the rest after a stop signal

// Waits for `events` on a descriptor for at most `timeout`. A signal also ends the wait.
bool Wait(const TcpSocket& socket, short events, absl::Duration timeout) {
  pollfd one = {socket.fd(), events, 0};
  const int64_t milliseconds = absl::ToInt64Milliseconds(absl::Ceil(timeout, absl::Milliseconds(1)));
  return poll(&one, 1, static_cast<int>(std::min<int64_t>(std::max<int64_t>(milliseconds, 0), 600'000))) > 0;
}

// Returns a socket without a descriptor, and the reason in `error`, if the connection fails.
TcpSocket TryConnect(const addrinfo& address, std::string& error) {
  TcpSocket socket(::socket(address.ai_family, SOCK_STREAM | kFlags, 0));
  int code = socket.fd() < 0 ? errno : 0;
  if (code == 0 && connect(socket.fd(), address.ai_addr, address.ai_addrlen) != 0) {
    code = errno;
    if (code == EINPROGRESS) {
      socklen_t size = sizeof(code);
      const bool answered = Wait(socket, POLLOUT, kConnectTimeout);
      code = ETIMEDOUT;
      if (answered) {
        getsockopt(socket.fd(), SOL_SOCKET, SO_ERROR, &code, &size);
      }
    }
  }
  if (code != 0) {
    error = std::strerror(code);
    return TcpSocket();
  }
  return socket;
}

absl::StatusOr<TcpSocket> Listen(int family, const sockaddr* address, socklen_t size, absl::string_view where) {
  TcpSocket socket(::socket(family, SOCK_STREAM | kFlags, 0));
  const int on = 1;
  const int off = 0;
  setsockopt(socket.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  setsockopt(socket.fd(), IPPROTO_IPV6, IPV6_V6ONLY, &off,
             sizeof(off));  // fails for an IPv4 socket, which does not need it
  if (bind(socket.fd(), address, size) != 0 || listen(socket.fd(), SOMAXCONN) != 0) {
    return absl::UnavailableError(absl::StrCat("cannot listen on ", where, " of this host: ", std::strerror(errno),
                                               "; give another port with --master_port"));
  }
  return socket;
}

absl::StatusOr<TcpSocket> ListenOnAll(uint16_t port) {
  const std::string where = absl::StrCat("port ", port);
  sockaddr_in6 all = {};
  all.sin6_family = AF_INET6;
  all.sin6_port = htons(port);
  absl::StatusOr<TcpSocket> both = Listen(AF_INET6, reinterpret_cast<const sockaddr*>(&all), sizeof(all), where);
  if (both.ok()) {
    return both;
  }
  sockaddr_in all_of_ipv4 = {};  // fallback for a kernel without IPv6
  all_of_ipv4.sin_family = AF_INET;
  all_of_ipv4.sin_port = htons(port);
  return Listen(AF_INET, reinterpret_cast<const sockaddr*>(&all_of_ipv4), sizeof(all_of_ipv4), where);
}

}  // namespace

absl::StatusOr<TcpSocket> ListenOn(const std::string& address, uint16_t port) {
  if (address.empty()) {
    return ListenOnAll(port);
  }
  std::string error;
  const ResolvedAddresses found = Resolve(address, port, SOCK_STREAM, error);
  if (found == nullptr) {
    return absl::UnavailableError(
        absl::StrCat("cannot listen on ", address, ", which is not an address of this host: ", error));
  }
  return Listen(found->ai_family, found->ai_addr, found->ai_addrlen, absl::StrCat("port ", port, " at ", address));
}

absl::StatusOr<TcpSocket> TryAccept(const TcpSocket& listener) {
  const int fd = accept4(listener.fd(), nullptr, nullptr, kFlags);
  if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) {
    return absl::UnavailableError(
        absl::StrCat("cannot accept a connection: ", std::strerror(errno), "; raise the limit (ulimit -n)"));
  }
  return TcpSocket(fd);  // -1: no connection waits, or the other end has closed it
}

absl::StatusOr<TcpSocket> ConnectOnce(const std::string& host, uint16_t port) {
  std::string error;
  const ResolvedAddresses addresses = Resolve(host, port, SOCK_STREAM, error);
  for (const addrinfo* address = addresses.get(); address != nullptr; address = address->ai_next) {
    TcpSocket socket = TryConnect(*address, error);
    if (socket.fd() >= 0) {
      return socket;
    }
  }
  return absl::UnavailableError(error);
}

bool WaitReadable(const TcpSocket& socket, absl::Duration timeout) { return Wait(socket, POLLIN, timeout); }

absl::Status SendAll(const TcpSocket& socket, absl::string_view bytes, MonotonicTime deadline) {
  bool stopped = false;
  while (!bytes.empty()) {
    const ssize_t n = send(socket.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n > 0) {
      bytes.remove_prefix(static_cast<size_t>(n));
    } else if (errno != EAGAIN && errno != EINTR) {
      return absl::UnavailableError(std::strerror(errno));
    } else if (MonotonicTime::Now() > deadline) {
      return absl::UnavailableError("it accepts no more data");
    } else {
      if (StopRequested() && !std::exchange(stopped, true)) {
        deadline = std::min(deadline, MonotonicTime::Now() + kStopGrace);
      }
      Wait(socket, POLLOUT, absl::Milliseconds(50));
    }
  }
  return absl::OkStatus();
}

void SetNoDelay(const TcpSocket& socket) {
  const int on = 1;
  setsockopt(socket.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

uint16_t LocalPort(const TcpSocket& socket) {
  sockaddr_storage address = {};
  socklen_t size = sizeof(address);
  getsockname(socket.fd(), reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&address)->sin6_port
                                             : reinterpret_cast<sockaddr_in*>(&address)->sin_port);
}

}  // namespace lockstep
