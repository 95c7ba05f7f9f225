#include "lib/launch/virtual_hosts.h"

#include <algorithm>
#include <set>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/host_identity.h"
#include "lib/base/status_macros.h"
#include "lib/launch/launch_place.h"

namespace lockstep {
namespace {

constexpr size_t kMaxShown = 80;  // characters of the variable's value in an error

absl::Status Invalid(absl::string_view value, absl::string_view expected) {
  return absl::InvalidArgumentError(absl::StrCat(
      kHostOfRankVariable, " is '", absl::CHexEscape(value.substr(0, kMaxShown)), value.size() > kMaxShown ? "..." : "",
      "', expected ", expected, "; set it like 0,0,1,1 for four ranks on two virtual hosts, or unset it"));
}

absl::Status WrongCount(size_t numbers, size_t ranks) {
  return absl::InvalidArgumentError(absl::StrCat(kHostOfRankVariable, " has ", numbers,
                                                 " numbers, expected one for each of ", ranks,
                                                 " ranks; set it like 0,0,1,1 for four ranks, or unset it"));
}

}  // namespace

absl::StatusOr<std::vector<int>> ReadHostOfRank(const EnvironmentLookup& lookup) {
  const char* const value = lookup(kHostOfRankVariable);
  if (value == nullptr) {
    return std::vector<int>();
  }
  std::vector<int> hosts;
  for (const absl::string_view text : absl::StrSplit(value, ',')) {
    int host = 0;
    if (!absl::SimpleAtoi(text, &host) || host < 0 || host >= kMaxWorld) {
      return Invalid(value, "numbers from 0, separated by commas");
    }
    hosts.push_back(host);
  }
  const std::set<int> used(hosts.begin(), hosts.end());
  if (*used.rbegin() != static_cast<int>(used.size()) - 1) {
    return Invalid(value, absl::StrCat("each number from 0 to ", *used.rbegin(), " at least once"));
  }
  return hosts;
}

absl::Status CheckHostOfRank(const std::vector<int>& host_of_rank, size_t ranks) {
  return host_of_rank.empty() || host_of_rank.size() == ranks ? absl::OkStatus()
                                                              : WrongCount(host_of_rank.size(), ranks);
}

absl::Status JoinVirtualHost(const EnvironmentLookup& lookup, int rank, int ranks) {
  ASSIGN_OR_RETURN(const std::vector<int> hosts, ReadHostOfRank(lookup));
  if (hosts.empty()) {
    return absl::OkStatus();
  }
  if (hosts.size() < static_cast<size_t>(ranks)) {
    return WrongCount(hosts.size(), static_cast<size_t>(ranks));
  }
  SetVirtualHost(hosts[static_cast<size_t>(rank)]);
  return absl::OkStatus();
}

}  // namespace lockstep
