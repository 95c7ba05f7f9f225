#include "lib/launch/check_message.h"

#include <cmath>
#include <csignal>
#include <cstdint>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/readable_line.h"
#include "lib/base/status_macros.h"
#include "lib/launch/launch_place.h"

namespace lockstep {
namespace {

constexpr int64_t kMaxSignal = 64;     // SIGRTMAX on Linux
constexpr int64_t kMaxExitCode = 255;  // limit of wait(2)
constexpr size_t kMaxName = 255;       // HOST_NAME_MAX is 64; a DNS name has at most 253 characters
constexpr double kMaxSeconds = 86400;  // upper end of the range of --timeout
constexpr size_t kSha256Digits = 64;

absl::Status Invalid(absl::string_view field, absl::string_view expected, absl::string_view found) {
  return absl::DataLossError(absl::StrCat("a message's ", field, ": expected ", expected, ", found ", found));
}

absl::Status CheckRange(absl::string_view field, int64_t value, int64_t first, int64_t last) {
  return value >= first && value <= last ? absl::OkStatus()
                                         : Invalid(field, absl::StrCat(first, " to ", last), absl::StrCat(value));
}

absl::Status CheckLength(absl::string_view field, absl::string_view text, size_t longest) {
  return text.size() <= longest
             ? absl::OkStatus()
             : Invalid(field, absl::StrCat("at most ", longest, " bytes"), absl::StrCat(text.size()));
}

// Checks that the name has at least one character, and no character that controls a terminal.
absl::Status CheckName(absl::string_view field, absl::string_view name) {
  RETURN_IF_ERROR(CheckLength(field, name, kMaxName));
  return !name.empty() && ReadableLine(name) == name
             ? absl::OkStatus()
             : Invalid(field, "a readable name", absl::StrCat("'", ReadableLine(name), "'"));
}

bool IsSha256(absl::string_view text) {
  bool digits = text.size() == kSha256Digits;
  for (const char c : text) {
    digits = digits && (absl::ascii_isdigit(static_cast<unsigned char>(c)) || (c >= 'a' && c <= 'f'));
  }
  return digits;
}

absl::Status CheckDescription(const proto::ProcessDescription& description) {
  RETURN_IF_ERROR(CheckRange("description.size", description.size(), 1, kMaxWorld));
  RETURN_IF_ERROR(CheckRange("description.rank", description.rank(), 0, int64_t{description.size()} - 1));
  RETURN_IF_ERROR(CheckRange("description.local_rank", description.local_rank(), 0, description.rank()));
  RETURN_IF_ERROR(CheckRange("description.gpus", description.gpus(), 0, kMaxWorld));
  RETURN_IF_ERROR(CheckName("description.host_name", description.host_name()));
  if (!IsSha256(description.build_id())) {
    return Invalid("description.build_id", "64 hex digits",
                   absl::StrCat("'", ReadableLine(description.build_id()), "'"));
  }
  for (const proto::AgentSetting& setting : description.setting()) {
    RETURN_IF_ERROR(CheckName("description.setting.name", setting.name()));
  }
  const bool described = description.dataset().empty() || IsSha256(description.dataset()) ||
                         absl::StartsWith(description.dataset(), "none: ");
  return described ? absl::OkStatus()
                   : Invalid("description.dataset", "64 hex digits, or 'none: ' and a reason",
                             absl::StrCat("'", ReadableLine(description.dataset()), "'"));
}

absl::Status CheckOrder(const proto::AgentOrder& order) {
  RETURN_IF_ERROR(CheckRange("order.size", order.size(), 1, kMaxWorld));
  RETURN_IF_ERROR(CheckRange("order.local_size", order.local_size(), 1, order.size()));
  RETURN_IF_ERROR(CheckRange("order.store_port", order.store_port(), 1, std::numeric_limits<uint16_t>::max()));
  RETURN_IF_ERROR(CheckRange("order.point", order.point(), 1, std::numeric_limits<uint32_t>::max()));
  RETURN_IF_ERROR(CheckName("order.task", order.task()));
  if (!order.store_host().empty()) {
    RETURN_IF_ERROR(CheckName("order.store_host", order.store_host()));
  }
  const double seconds = order.timeout_seconds();
  return std::isfinite(seconds) && seconds > 0 && seconds <= kMaxSeconds
             ? absl::OkStatus()
             : Invalid("order.timeout_seconds", absl::StrCat("more than 0, at most ", kMaxSeconds),
                       absl::StrCat(seconds));
}

absl::Status CheckExit(const proto::AgentExit& exit) {
  return exit.signalled() ? CheckRange("exit.code", exit.code(), 1, kMaxSignal)
                          : CheckRange("exit.code", exit.code(), 0, kMaxExitCode);
}

// Checks that `number` is a stop signal (lib/base/stop_signal.h).
absl::Status CheckStopSignal(int number) {
  return number == SIGHUP || number == SIGINT || number == SIGTERM
             ? absl::OkStatus()
             : Invalid("stop_signal", absl::StrCat(SIGHUP, ", ", SIGINT, " or ", SIGTERM), absl::StrCat(number));
}

absl::Status CheckVerdict(const proto::AgentVerdict& verdict) {
  RETURN_IF_ERROR(CheckRange("verdict.exit_code", verdict.exit_code(), 0, kMaxExitCode));
  return CheckLength("verdict.message", verdict.message(), kMaxVerdictBytes);
}

}  // namespace

absl::Status CheckMessage(const proto::AgentMessage& message) {
  switch (message.kind_case()) {
    case proto::AgentMessage::kDescription:
      return CheckDescription(message.description());
    case proto::AgentMessage::kOrder:
      return CheckOrder(message.order());
    case proto::AgentMessage::kExit:
      return CheckExit(message.exit());
    case proto::AgentMessage::kStopSignal:
      return CheckStopSignal(message.stop_signal());
    case proto::AgentMessage::kVerdict:
      return CheckVerdict(message.verdict());
    case proto::AgentMessage::kEndRank:
      return message.end_rank() ? absl::OkStatus() : Invalid("end_rank", "true", "false");
    case proto::AgentMessage::kHeartbeat:
      return message.heartbeat() ? absl::OkStatus() : Invalid("heartbeat", "true", "false");
    case proto::AgentMessage::KIND_NOT_SET:
      break;
  }
  return absl::DataLossError("a message has no kind");
}

}  // namespace lockstep
