// Addresses of hosts: by name, as numbers at both ends of a connection, and this host's own on the way to another.
#ifndef LOCKSTEP_LIB_LAUNCH_TCP_ADDRESS_H_
#define LOCKSTEP_LIB_LAUNCH_TCP_ADDRESS_H_

#include <netdb.h>
#include <sys/socket.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

using ResolvedAddresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

// All addresses of a host for a kind of socket (SOCK_STREAM). Null when the name leads nowhere; why is in `error`.
ResolvedAddresses Resolve(const std::string& host, uint16_t port, int type, std::string& error);

// The address as a number: "10.0.0.1", "fd00::1"; of an IPv4 address in IPv6 the IPv4 one. Empty if it has none.
std::string NumberOf(const sockaddr* address, socklen_t size);

// The ends of an open socket: "10.0.0.1", "fd00::1"; empty when it has none.
std::string LocalAddress(int socket);
std::string PeerAddress(int socket);

// The address that this host has on the way to `host`, without sending anything. Unavailable: there is no way.
absl::StatusOr<std::string> AddressTowards(const std::string& host, uint16_t port);

// Whether `host` is this host's loopback: "localhost", "127.0.0.1", "::1" and their like.
bool IsLoopback(absl::string_view host);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_TCP_ADDRESS_H_
