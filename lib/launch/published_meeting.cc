#include "lib/launch/published_meeting.h"

#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace lockstep {
namespace {

constexpr char kNoSecret[] = "-";

}  // namespace

std::string ToText(const PublishedMeeting& meeting) {
  return absl::StrCat(meeting.port, " ", meeting.secret.has_value() ? meeting.secret->Hex() : kNoSecret);
}

absl::StatusOr<PublishedMeeting> ReadPublishedMeeting(absl::string_view text) {
  const std::vector<absl::string_view> words = absl::StrSplit(text.substr(0, 100), ' ');
  PublishedMeeting meeting;
  uint32_t port = 0;
  bool reads = words.size() == 2 && absl::SimpleAtoi(words[0], &port) && port > 0 &&
               port <= std::numeric_limits<uint16_t>::max() && absl::StrCat(port) == words[0];
  if (reads && words[1] != kNoSecret) {
    absl::StatusOr<RunSecret> secret = RunSecret::FromHex(words[1]);
    reads = secret.ok();
    if (reads) {
      meeting.secret = *std::move(secret);
    }
  }
  if (!reads) {
    return absl::UnavailableError(absl::StrCat("expected rank 0's port and a secret in torchrun's store, found ",
                                               text.size(), " bytes that are something else"));
  }
  meeting.port = static_cast<uint16_t>(port);
  return meeting;
}

}  // namespace lockstep
