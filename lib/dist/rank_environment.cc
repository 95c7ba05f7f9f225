#include "lib/dist/rank_environment.h"

#include <limits>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

constexpr char kPayloadVariable[] = "LOCKSTEP_RANK_PAYLOAD";
constexpr char kTimeoutVariable[] = "LOCKSTEP_RANK_TIMEOUT";

using Lookup = std::function<const char*(const char*)>;

absl::Status Unfit(const char* name, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("a rank's environment: ", name, " ", what, "; unset ",
                                                 kRankTaskVariable, " to start a run of its own"));
}

absl::StatusOr<std::string> Variable(const Lookup& lookup, const char* name) {
  const char* value = lookup(name);
  if (value == nullptr) {
    return Unfit(name, "is not set");
  }
  return std::string(value);
}

absl::StatusOr<int> Number(const Lookup& lookup, const char* name, int first, int last) {
  ASSIGN_OR_RETURN(const std::string text, Variable(lookup, name));
  int value = 0;
  if (!absl::SimpleAtoi(text, &value) || value < first || value > last) {
    return Unfit(name, absl::StrCat("is '", text, "', expected a number from ", first, " to ", last));
  }
  return value;
}

}  // namespace

std::map<std::string, std::string> ToVariables(const RankEnvironment& rank) {
  return {{"RANK", absl::StrCat(rank.rank)},
          {"LOCAL_RANK", absl::StrCat(rank.local_rank)},
          {"WORLD_SIZE", absl::StrCat(rank.size)},
          {"LOCAL_WORLD_SIZE", absl::StrCat(rank.size)},
          {"MASTER_ADDR", rank.host},
          {"MASTER_PORT", absl::StrCat(rank.port)},
          {kRankTaskVariable, rank.task},
          {kPayloadVariable, absl::Base64Escape(rank.payload)},
          {kTimeoutVariable, absl::FormatDuration(rank.timeout)}};
}

absl::StatusOr<RankEnvironment> ReadRankEnvironment(const Lookup& lookup) {
  RankEnvironment rank;
  ASSIGN_OR_RETURN(rank.size, Number(lookup, "WORLD_SIZE", 1, std::numeric_limits<int>::max()));
  ASSIGN_OR_RETURN(rank.rank, Number(lookup, "RANK", 0, rank.size - 1));
  ASSIGN_OR_RETURN(rank.local_rank, Number(lookup, "LOCAL_RANK", 0, rank.size - 1));
  ASSIGN_OR_RETURN(rank.host, Variable(lookup, "MASTER_ADDR"));
  ASSIGN_OR_RETURN(const int port, Number(lookup, "MASTER_PORT", 1, std::numeric_limits<uint16_t>::max()));
  rank.port = static_cast<uint16_t>(port);
  ASSIGN_OR_RETURN(rank.task, Variable(lookup, kRankTaskVariable));
  ASSIGN_OR_RETURN(const std::string payload, Variable(lookup, kPayloadVariable));
  if (!absl::Base64Unescape(payload, &rank.payload)) {
    return Unfit(kPayloadVariable, "is no base64");
  }
  ASSIGN_OR_RETURN(const std::string timeout, Variable(lookup, kTimeoutVariable));
  if (!absl::ParseDuration(timeout, &rank.timeout) || rank.timeout <= absl::ZeroDuration()) {
    return Unfit(kTimeoutVariable, absl::StrCat("is '", timeout, "', expected a time such as 60s"));
  }
  return rank;
}

}  // namespace lockstep
