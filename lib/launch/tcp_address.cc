#include "lib/launch/tcp_address.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/base/owned_descriptor.h"

namespace lockstep {
namespace {

template <typename Get>
std::string AddressOf(int socket, Get get) {
  sockaddr_storage address = {};
  socklen_t size = sizeof(address);
  return get(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0
             ? NumericAddress(reinterpret_cast<const sockaddr*>(&address), size)
             : "";
}

}  // namespace

std::string NumericAddress(const sockaddr* address, socklen_t size) {
  char text[NI_MAXHOST];
  if (getnameinfo(address, size, text, sizeof(text), nullptr, 0, NI_NUMERICHOST) != 0) {
    return "";
  }
  return std::string(absl::StripPrefix(text, "::ffff:"));  // prefix of an IPv4-mapped IPv6 address
}

ResolvedAddresses Resolve(const std::string& host, uint16_t port, int type, std::string& error) {
  addrinfo hints = {};
  hints.ai_socktype = type;
  addrinfo* found = nullptr;
  const int code = getaddrinfo(host.c_str(), absl::StrCat(port).c_str(), &hints, &found);
  if (code != 0) {
    error = gai_strerror(code);
    found = nullptr;
  }
  return ResolvedAddresses(found, &freeaddrinfo);
}

std::string LocalAddress(int socket) { return AddressOf(socket, getsockname); }
std::string PeerAddress(int socket) { return AddressOf(socket, getpeername); }

absl::StatusOr<std::string> AddressTowards(const std::string& host, uint16_t port) {
  std::string error;
  const ResolvedAddresses addresses = Resolve(host, port, SOCK_DGRAM, error);
  for (const addrinfo* address = addresses.get(); address != nullptr; address = address->ai_next) {
    // Connecting the socket sends nothing.
    const OwnedDescriptor socket(::socket(address->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const bool connected = connect(socket.get(), address->ai_addr, address->ai_addrlen) == 0;
    error = std::strerror(errno);
    const std::string local = connected ? LocalAddress(socket.get()) : "";
    if (connected) {
      return local;
    }
  }
  return absl::UnavailableError(absl::StrCat("no route from this host to ", host, ": ", error));
}

bool IsLoopback(absl::string_view host) {
  return host == "localhost" || host == "::1" || absl::StartsWith(host, "127.");
}

}  // namespace lockstep
