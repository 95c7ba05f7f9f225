#include "lib/scaling/recorded_hosts.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace lockstep {
namespace {

template <typename List>
std::string EntryOf(const List& list, uint32_t rank) {
  return list.empty() ? "" : absl::StrCat(list.Get(static_cast<int>(rank) < list.size() ? static_cast<int>(rank) : 0));
}

}  // namespace

HostTopology RecordedHosts(const proto::ScaleSpec& spec, uint32_t ranks) {
  std::vector<std::string> hosts;
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    hosts.push_back(absl::StrCat(EntryOf(spec.launch().host(), rank), " ", EntryOf(spec.virtual_host(), rank)));
  }
  return HostTopology(hosts);
}

}  // namespace lockstep
