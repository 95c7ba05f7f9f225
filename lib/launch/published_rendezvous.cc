#include "lib/launch/published_rendezvous.h"

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

std::string ToText(const PublishedRendezvous& rendezvous) {
  return absl::StrCat(rendezvous.port, " ", rendezvous.secret.has_value() ? rendezvous.secret->Hex() : kNoSecret);
}

absl::StatusOr<PublishedRendezvous> ReadPublishedRendezvous(absl::string_view text) {
  const std::vector<absl::string_view> words = absl::StrSplit(text.substr(0, 100), ' ');
  PublishedRendezvous rendezvous;
  uint32_t port = 0;
  bool reads = words.size() == 2 && absl::SimpleAtoi(words[0], &port) && port > 0 &&
               port <= std::numeric_limits<uint16_t>::max() && absl::StrCat(port) == words[0];
  if (reads && words[1] != kNoSecret) {
    absl::StatusOr<RunSecret> secret = RunSecret::FromHex(words[1]);
    reads = secret.ok();
    if (reads) {
      rendezvous.secret = *std::move(secret);
    }
  }
  if (!reads) {
    return absl::UnavailableError(absl::StrCat("expected rank 0's port and a secret in torchrun's store, found ",
                                               text.size(), " bytes of another kind"));
  }
  rendezvous.port = static_cast<uint16_t>(port);
  return rendezvous;
}

}  // namespace lockstep
