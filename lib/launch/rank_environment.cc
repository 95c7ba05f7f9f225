#include "lib/launch/rank_environment.h"

#include <cstdlib>
#include <cstring>
#include <limits>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/launch/run_secret.h"

namespace lockstep {
namespace {

constexpr char kPayloadVariable[] = "LOCKSTEP_RANK_PAYLOAD";
constexpr char kSecretVariable[] = "LOCKSTEP_RANK_SECRET";
constexpr char kTimeoutVariable[] = "LOCKSTEP_RANK_TIMEOUT";

}  // namespace

std::map<std::string, std::string> ToVariables(const RankEnvironment& rank) {
  return {{"RANK", absl::StrCat(rank.rank)},
          {"LOCAL_RANK", absl::StrCat(rank.local_rank)},
          {"WORLD_SIZE", absl::StrCat(rank.size)},
          {"LOCAL_WORLD_SIZE", absl::StrCat(rank.local_size)},
          {"MASTER_ADDR", rank.host},
          {"MASTER_PORT", absl::StrCat(rank.port)},
          {kRankTaskVariable, rank.task},
          {kPayloadVariable, absl::Base64Escape(rank.payload)},
          {kSecretVariable, rank.secret},
          {kTimeoutVariable, absl::FormatDuration(rank.timeout)}};
}

absl::StatusOr<RankEnvironment> ReadRankEnvironment(const EnvironmentLookup& lookup) {
  const EnvironmentReader variables(lookup, "a rank's environment",
                                    absl::StrCat("unset ", kRankTaskVariable, " to start a run of its own"));
  RankEnvironment rank;
  ASSIGN_OR_RETURN(rank.size, variables.Number("WORLD_SIZE", 1, std::numeric_limits<int>::max()));
  ASSIGN_OR_RETURN(rank.rank, variables.Number("RANK", 0, rank.size - 1));
  ASSIGN_OR_RETURN(rank.local_size, variables.Number("LOCAL_WORLD_SIZE", 1, rank.size));
  ASSIGN_OR_RETURN(rank.local_rank, variables.Number("LOCAL_RANK", 0, rank.local_size - 1));
  ASSIGN_OR_RETURN(rank.host, variables.Text("MASTER_ADDR"));
  ASSIGN_OR_RETURN(const int port, variables.Number("MASTER_PORT", 1, std::numeric_limits<uint16_t>::max()));
  rank.port = static_cast<uint16_t>(port);
  ASSIGN_OR_RETURN(rank.task, variables.Text(kRankTaskVariable));
  ASSIGN_OR_RETURN(const std::string payload, variables.Text(kPayloadVariable));
  if (!absl::Base64Unescape(payload, &rank.payload)) {
    return variables.Invalid(kPayloadVariable, "is not base64");
  }
  ASSIGN_OR_RETURN(rank.secret, variables.Text(kSecretVariable));
  if (!RunSecret::FromHex(rank.secret).ok()) {
    return variables.Invalid(kSecretVariable, "is not 64 hex digits");
  }
  ASSIGN_OR_RETURN(const std::string timeout, variables.Text(kTimeoutVariable));
  if (!absl::ParseDuration(timeout, &rank.timeout) || rank.timeout <= absl::ZeroDuration()) {
    return variables.Invalid(kTimeoutVariable, absl::StrCat("is '", timeout, "', expected a time such as 60s"));
  }
  return rank;
}

void EraseSecretFromEnvironment() {
  if (char* const secret = std::getenv(kSecretVariable); secret != nullptr) {
    std::memset(secret, 'x', std::strlen(secret));
    unsetenv(kSecretVariable);
  }
}

}  // namespace lockstep
