// Reads an arbitrary environment (lines NAME=VALUE) as that of a rank and of every launcher. It is either refused with
// a usage error that names the variable, or gives a place in the run. A rank's place is written to variables and read
// again without a change.
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_split.h"
#include "lib/launch/launch_environment.h"
#include "lib/launch/rank_environment.h"
#include "lib/launch/rendezvous_endpoint.h"
#include "lib/launch/virtual_hosts.h"
#include "lib/testing/fuzz.h"

namespace lockstep::testing {
namespace {

using Variables = std::map<std::string, std::string>;

EnvironmentLookup In(const Variables& variables) {
  return [&variables](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
}

absl::StatusOr<RankEnvironment> Read(const Variables& variables) { return ReadRankEnvironment(In(variables)); }

void CheckRefused(const absl::Status& status) {
  CheckUserError(status);
  FUZZ_CHECK(status.code() == absl::StatusCode::kInvalidArgument);
}

// Checks the place given by a launcher's variables, and its rendezvous.
void CheckLaunch(const std::string& launcher, const Variables& variables) {
  const absl::StatusOr<LaunchPlace> place = ReadLaunchPlace(launcher, In(variables));
  if (!place.ok()) {
    return CheckRefused(place.status());
  }
  FUZZ_CHECK(launcher == "auto" || launcher == LauncherName(place->launcher));
  FUZZ_CHECK(0 <= place->local_rank && place->local_rank <= place->rank && place->rank < place->size);
  const absl::StatusOr<RendezvousEndpoint> endpoint = FindRendezvousEndpoint(*place, {}, In(variables));
  if (!endpoint.ok()) {
    return CheckRefused(endpoint.status());
  }
  FUZZ_CHECK(endpoint->port > 0);
}

// Checks that each virtual host has a rank.
void CheckVirtualHosts(const Variables& variables) {
  const absl::StatusOr<std::vector<int>> hosts = ReadHostOfRank(In(variables));
  if (!hosts.ok()) {
    return CheckRefused(hosts.status());
  }
  const std::set<int> used(hosts->begin(), hosts->end());
  FUZZ_CHECK(used.empty() || (*used.begin() == 0 && *used.rbegin() == static_cast<int>(used.size()) - 1));
}

}  // namespace
}  // namespace lockstep::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;           // NOLINT(build/namespaces)
  using namespace lockstep::testing;  // NOLINT(build/namespaces)
  std::map<std::string, std::string> variables;
  for (const absl::string_view line : absl::StrSplit(Bytes(data, size), '\n')) {
    variables.insert(std::pair<std::string, std::string>(absl::StrSplit(line, absl::MaxSplits('=', 1))));
  }
  for (const char* launcher : {"auto", "none", "torchrun", "openmpi", "pmi", "slurm"}) {
    CheckLaunch(launcher, variables);
  }
  CheckVirtualHosts(variables);
  const absl::StatusOr<RankEnvironment> rank = lockstep::testing::Read(variables);
  if (!rank.ok()) {
    CheckRefused(rank.status());
    return 0;
  }
  FUZZ_CHECK(0 <= rank->rank && rank->rank < rank->size);
  FUZZ_CHECK(0 <= rank->local_rank && rank->local_rank < rank->local_size && rank->local_size <= rank->size);
  FUZZ_CHECK(rank->port > 0 && rank->timeout > absl::ZeroDuration());
  const absl::StatusOr<RankEnvironment> again = lockstep::testing::Read(ToVariables(*rank));
  FUZZ_CHECK(again.ok());
  FUZZ_CHECK(again->rank == rank->rank && again->size == rank->size && again->local_rank == rank->local_rank);
  FUZZ_CHECK(again->local_size == rank->local_size);
  FUZZ_CHECK(again->host == rank->host && again->port == rank->port);
  FUZZ_CHECK(again->task == rank->task && again->payload == rank->payload && again->timeout == rank->timeout);
  FUZZ_CHECK(again->secret == rank->secret);
  return 0;
}
