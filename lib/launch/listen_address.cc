#include "lib/launch/listen_address.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <memory>

#include "absl/strings/match.h"
#include "lib/launch/loopback.h"
#include "lib/launch/tcp_address.h"

namespace lockstep {
namespace {

// Returns the numeric addresses of this host to which `host` resolves.
std::set<std::string> OwnAmong(const std::string& host, uint16_t port, const std::set<std::string>& own) {
  std::string error;
  std::set<std::string> found;
  const ResolvedAddresses addresses = Resolve(host, port, SOCK_STREAM, error);
  for (const addrinfo* address = addresses.get(); address != nullptr; address = address->ai_next) {
    const std::string number = NumericAddress(address->ai_addr, address->ai_addrlen);
    if (own.count(number) > 0) {
      found.insert(number);
    }
  }
  return found;
}

}  // namespace

std::string ListenAddress(const LaunchPlace& place, const RendezvousEndpoint& endpoint, const std::string& interface) {
  if (place.one_host || IsLoopback(endpoint.host)) {
    return place.one_host || endpoint.host == "localhost" ? kLoopback : endpoint.host;
  }
  const std::set<std::string> named = OwnAmong(endpoint.host, endpoint.port, OwnAddresses(""));
  if (named.size() == 1) {
    return *named.begin();
  }
  const std::set<std::string> of_device = interface.empty() ? std::set<std::string>() : OwnAddresses(interface);
  return named.empty() && of_device.size() == 1 ? *of_device.begin() : "";
}

std::set<std::string> OwnAddresses(const std::string& interface) {
  std::set<std::string> own;
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) {
    return own;
  }
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> all(first, &freeifaddrs);
  for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next) {
    const bool is_wanted = interface.empty() || interface == one->ifa_name;
    if (!is_wanted || one->ifa_addr == nullptr || (one->ifa_flags & IFF_LOOPBACK) != 0) {
      continue;
    }
    const int family = one->ifa_addr->sa_family;
    if (family == AF_INET || family == AF_INET6) {
      const std::string number =
          NumericAddress(one->ifa_addr, family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
      if (!number.empty() && !absl::StartsWith(number, "fe80:")) {
        own.insert(number);
      }
    }
  }
  return own;
}

}  // namespace lockstep
