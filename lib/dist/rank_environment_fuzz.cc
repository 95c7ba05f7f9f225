// Any environment as a rank's: lines NAME=VALUE. Refused with a usage error that names the variable, or a place in the run
// that is written to variables and read again without a change.
#include <map>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_split.h"
#include "lib/dist/rank_environment.h"
#include "lib/testing/fuzz.h"

namespace lockstep::testing {
namespace {

absl::StatusOr<RankEnvironment> Read(const std::map<std::string, std::string>& variables) {
  return ReadRankEnvironment([&variables](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
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
  const absl::StatusOr<RankEnvironment> rank = testing::Read(variables);
  if (!rank.ok()) {
    CheckUserError(rank.status());
    FUZZ_CHECK(rank.status().code() == absl::StatusCode::kInvalidArgument);
    return 0;
  }
  FUZZ_CHECK(0 <= rank->rank && rank->rank < rank->size);
  FUZZ_CHECK(0 <= rank->local_rank && rank->local_rank < rank->size);
  FUZZ_CHECK(rank->port > 0 && rank->timeout > absl::ZeroDuration());
  const absl::StatusOr<RankEnvironment> again = testing::Read(ToVariables(*rank));
  FUZZ_CHECK(again.ok());
  FUZZ_CHECK(again->rank == rank->rank && again->size == rank->size && again->local_rank == rank->local_rank);
  FUZZ_CHECK(again->host == rank->host && again->port == rank->port);
  FUZZ_CHECK(again->task == rank->task && again->payload == rank->payload && again->timeout == rank->timeout);
  return 0;
}
