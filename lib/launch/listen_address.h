// Address at which rank 0 listens for the other processes of its world: as narrow as possible.
#ifndef LOCKSTEP_LIB_LAUNCH_LISTEN_ADDRESS_H_
#define LOCKSTEP_LIB_LAUNCH_LISTEN_ADDRESS_H_

#include <set>
#include <string>

#include "lib/launch/launch_place.h"
#include "lib/launch/rendezvous_endpoint.h"

namespace lockstep {

// Returns the first of these addresses that exists; an empty text means all addresses of this host.
//   1. A loopback address, if all ranks are on one host or the rendezvous itself is a loopback address.
//   2. The address of this host to which the rendezvous's name resolves, if there is exactly one: the others connect
//      there.
//   3. The address of `interface`, a network device of this host, if `interface` is not empty, has exactly one address,
//      and the name resolves to no address of this host.
//   4. All addresses: the others may use an address that this host does not know, such as with network address
//      translation.
std::string ListenAddress(const LaunchPlace& place, const RendezvousEndpoint& endpoint, const std::string& interface);

// Returns the numeric addresses of this host's network devices, or only of `interface` if that is not empty. Loopback
// and link-local addresses are left out.
std::set<std::string> OwnAddresses(const std::string& interface);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_LISTEN_ADDRESS_H_
