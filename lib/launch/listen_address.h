// The address at which rank 0 listens for the other processes of its world: no wider than they need.
#ifndef LOCKSTEP_LIB_LAUNCH_LISTEN_ADDRESS_H_
#define LOCKSTEP_LIB_LAUNCH_LISTEN_ADDRESS_H_

#include <set>
#include <string>

#include "lib/launch/launch_place.h"
#include "lib/launch/meeting_point.h"

namespace lockstep {

// Returns the first of these that there is; empty means all addresses of this host.
//   1. The loopback device's address, if all ranks are on one host, or the meeting point itself is a loopback address.
//   2. The one address of this host that the meeting point's name leads to: the others connect there.
//   3. The address of `interface`, a network device of this host, if that is not empty.
//   4. All addresses: the others reach this host by one that it does not know, as behind a translation of addresses.
std::string ListenAddress(const LaunchPlace& place, const MeetingPoint& point, const std::string& interface);

// Returns the addresses of this host's network devices, or of the one that `interface` names, as numbers. Without those
// of the loopback device and those that count on one link only.
std::set<std::string> OwnAddresses(const std::string& interface);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_LISTEN_ADDRESS_H_
