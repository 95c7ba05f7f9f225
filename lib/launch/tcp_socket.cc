#include "lib/launch/tcp_socket.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/launch/tcp_address.h"

namespace lockstep {
namespace {

constexpr int kFlags = SOCK_NONBLOCK | SOCK_CLOEXEC;
constexpr absl::Duration kPollInterval = absl::Milliseconds(50);
constexpr absl::Duration kPatience = absl::Seconds(2);  // for one address to answer

// No descriptor when it does not answer; why is in `error`.
TcpSocket TryConnect(const addrinfo& address, std::string& error) {
  TcpSocket socket(::socket(address.ai_family, SOCK_STREAM | kFlags, 0));
  int code = 0;
  if (connect(socket.fd(), address.ai_addr, address.ai_addrlen) != 0) {
    code = errno;
    if (code == EINPROGRESS) {
      pollfd writable = {socket.fd(), POLLOUT, 0};
      socklen_t size = sizeof(code);
      const bool answered = poll(&writable, 1, static_cast<int>(absl::ToInt64Milliseconds(kPatience))) > 0;
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

absl::StatusOr<TcpSocket> ListenAs(int family, uint16_t port) {
  TcpSocket socket(::socket(family, SOCK_STREAM | kFlags, 0));
  const int on = 1;
  const int off = 0;
  setsockopt(socket.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_storage any = {};
  any.ss_family = static_cast<sa_family_t>(family);
  socklen_t size = sizeof(sockaddr_in);
  reinterpret_cast<sockaddr_in*>(&any)->sin_port = htons(port);
  if (family == AF_INET6) {
    setsockopt(socket.fd(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
    size = sizeof(sockaddr_in6);
    reinterpret_cast<sockaddr_in6*>(&any)->sin6_port = htons(port);
  }
  if (bind(socket.fd(), reinterpret_cast<sockaddr*>(&any), size) != 0 || listen(socket.fd(), SOMAXCONN) != 0) {
    return absl::UnavailableError(absl::StrCat("expected port ", port, " of this host to be free, found: ",
                                               std::strerror(errno), "; give another with --master_port"));
  }
  return socket;
}

}  // namespace

TcpSocket::~TcpSocket() {
  if (fd_ >= 0) {
    close(fd_);
  }
}

absl::StatusOr<TcpSocket> ListenOn(uint16_t port) {
  absl::StatusOr<TcpSocket> both = ListenAs(AF_INET6, port);
  return both.ok() ? std::move(both) : ListenAs(AF_INET, port);  // a kernel without IPv6
}

TcpSocket Accept(const TcpSocket& listener, absl::Duration patience) {
  if (!WaitReadable(listener, patience)) {
    return TcpSocket();
  }
  return TcpSocket(accept4(listener.fd(), nullptr, nullptr, kFlags));
}

absl::StatusOr<TcpSocket> ConnectTo(const std::string& host, uint16_t port, absl::Time deadline) {
  const absl::Time start = absl::Now();
  std::string error;
  while (true) {
    const ResolvedAddresses addresses = Resolve(host, port, SOCK_STREAM, error);
    for (const addrinfo* address = addresses.get(); address != nullptr; address = address->ai_next) {
      TcpSocket socket = TryConnect(*address, error);
      if (socket.fd() >= 0) {
        return socket;
      }
    }
    RETURN_IF_ERROR(CheckNotStopped());
    if (absl::Now() > deadline) {
      return absl::UnavailableError(
          absl::StrCat("expected an answer from ", host, ":", port, ", found for ",
                       absl::FormatDuration(absl::Trunc(absl::Now() - start, absl::Seconds(1))), ": ", error));
    }
    absl::SleepFor(kPollInterval);
  }
}

bool WaitReadable(const TcpSocket& socket, absl::Duration patience) {
  pollfd readable = {socket.fd(), POLLIN, 0};
  return poll(&readable, 1, static_cast<int>(absl::ToInt64Milliseconds(patience))) > 0;
}

uint16_t LocalPort(const TcpSocket& socket) {
  sockaddr_storage address = {};
  socklen_t size = sizeof(address);
  getsockname(socket.fd(), reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&address)->sin6_port
                                             : reinterpret_cast<sockaddr_in*>(&address)->sin_port);
}

}  // namespace lockstep
