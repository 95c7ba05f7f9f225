// Identity of the host on which this process runs. Processes with equal identities may share memory; whether they can
// is proven by sharing it (lib/peer/shared_memory.h).
#ifndef LOCKSTEP_LIB_BASE_HOST_IDENTITY_H_
#define LOCKSTEP_LIB_BASE_HOST_IDENTITY_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace lockstep {

struct HostIdentity {
  std::string boot_id;       // id of the running kernel's boot; two hosts never have the same
  std::string network;       // network namespace of the process, which contains the names of abstract sockets
  std::string virtual_host;  // number of the virtual host; empty: the process is on no virtual host
};

// Puts this process on a virtual host: it then shares no memory with processes on other virtual hosts. Meant for tests
// and study, with the numbers of LOCKSTEP_HOST_OF_RANK (lib/launch/virtual_hosts.h). Must not be called while another
// thread calls a function of this file.
void SetVirtualHost(int host);

// Returns the number that SetVirtualHost was given, or nothing.
std::optional<int> VirtualHost();

// Returns the identity of this process's host. Files that cannot be read give empty texts.
HostIdentity ThisHost();

// Returns "on different hosts", "in different network namespaces" or "on different virtual hosts
// (LOCKSTEP_HOST_OF_RANK)", the first that is true of the processes; empty if their identities are equal. A boot id
// that a process could not read is not compared: the attempt to share memory decides.
std::string HostDifference(const HostIdentity& a, const HostIdentity& b);

// Returns the identity as one line, equal for two processes exactly if their identities are equal.
std::string HostKey(const HostIdentity& host);

// Returns the identity of which `key` is the HostKey, or nothing if `key` has another format.
std::optional<HostIdentity> ParseHostKey(absl::string_view key);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_HOST_IDENTITY_H_
