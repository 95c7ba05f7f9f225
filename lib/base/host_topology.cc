#include "lib/base/host_topology.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"

namespace lockstep {

HostTopology::HostTopology(const std::vector<std::string>& host_of_rank) {
  std::map<std::string, int> number_of;
  for (const std::string& host : host_of_rank) {
    const auto [entry, is_new] = number_of.try_emplace(host, hosts());
    if (is_new) {
      ranks_of_.emplace_back();
    }
    std::vector<int>& ranks = ranks_of_[entry->second];
    index_of_.push_back(static_cast<int>(ranks.size()));
    ranks.push_back(static_cast<int>(host_of_.size()));
    host_of_.push_back(entry->second);
  }
  for (const std::vector<int>& ranks : ranks_of_) {
    min_ranks_ = min_ranks_ == 0 ? ranks.size() : std::min(min_ranks_, ranks.size());
    max_ranks_ = std::max(max_ranks_, ranks.size());
  }
}

std::vector<int> HostTopology::CounterpartsOf(int rank) const {
  std::vector<int> counterparts;
  for (const std::vector<int>& ranks : ranks_of_) {
    counterparts.push_back(ranks[index_of_[rank]]);
  }
  return counterparts;
}

std::string HostTopology::Describe(absl::string_view host) const {
  return absl::StrCat(hosts(), " ", host, hosts() == 1 ? "" : "s", " of ", min_ranks_,
                      IsUniform() ? "" : absl::StrCat(" to ", max_ranks_), max_ranks_ == 1 ? " rank" : " ranks");
}

}  // namespace lockstep
