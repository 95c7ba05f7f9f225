// Addresses of hosts: resolved from a name, at both ends of a connection, and of this host on the route to another.
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

// Returns all addresses of a host for a type of socket (SOCK_STREAM), or null with the reason in `error` if the name
// does not resolve.
ResolvedAddresses Resolve(const std::string& host, uint16_t port, int type, std::string& error);

// Returns the numeric address: "10.0.0.1" or "fd00::1"; for an IPv4-mapped IPv6 address the IPv4 address. Returns an
// empty text if there is none.
std::string NumericAddress(const sockaddr* address, socklen_t size);

// Returns the numeric address of this end (PeerAddress: of the other end) of an open socket; empty if there is none.
std::string LocalAddress(int socket);
std::string PeerAddress(int socket);

// Returns the address of this host on the route to `host`, without sending anything. Returns UnavailableError if there
// is no route.
absl::StatusOr<std::string> AddressTowards(const std::string& host, uint16_t port);

// Returns true if `host` is a loopback address: "localhost", "::1", or any "127.x.y.z".
bool IsLoopback(absl::string_view host);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_TCP_ADDRESS_H_
