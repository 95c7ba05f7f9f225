#include "lib/base/host_identity.h"

#include <unistd.h>

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/kernel_file.h"

namespace lockstep {
namespace {

std::optional<int>& TheVirtualHost() {
  static std::optional<int> host;
  return host;
}

std::string NetworkNamespace() {
  char name[64] = {};
  return readlink("/proc/self/ns/net", name, sizeof(name) - 1) > 0 ? name : "";
}

}  // namespace

void SetVirtualHost(int host) { TheVirtualHost() = host; }

std::optional<int> VirtualHost() { return TheVirtualHost(); }

HostIdentity ThisHost() {
  return {KernelFileLine("/proc/sys/kernel/random/boot_id"), NetworkNamespace(),
          VirtualHost().has_value() ? absl::StrCat(*VirtualHost()) : ""};
}

std::string HostDifference(const HostIdentity& a, const HostIdentity& b) {
  const bool both_known = !a.boot_id.empty() && !b.boot_id.empty();
  return both_known && a.boot_id != b.boot_id ? "on different hosts"
         : a.network != b.network             ? "in different network namespaces"
         : a.virtual_host != b.virtual_host   ? "on different virtual hosts (LOCKSTEP_HOST_OF_RANK)"
                                              : "";
}

std::string HostKey(const HostIdentity& host) {
  return absl::StrCat(host.boot_id, " ", host.network, " ", host.virtual_host);
}

std::optional<HostIdentity> ParseHostKey(absl::string_view key) {
  const std::vector<std::string> words = absl::StrSplit(key, ' ');
  return words.size() == 3 ? std::make_optional(HostIdentity{words[0], words[1], words[2]}) : std::nullopt;
}

}  // namespace lockstep
