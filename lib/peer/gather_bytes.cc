#include "lib/peer/gather_bytes.h"

#include "absl/strings/str_cat.h"
#include "lib/base/host_identity.h"
#include "lib/base/status_macros.h"

namespace lockstep {

// The status code is sent as one byte before the message.
absl::Status Agree(const GatherBytes& gather, const absl::Status& mine) {
  ASSIGN_OR_RETURN(
      const std::vector<std::string> all,
      gather(mine.ok() ? "" : absl::StrCat(std::string(1, static_cast<char>(mine.raw_code())), mine.message())));
  for (size_t rank = 0; rank < all.size(); ++rank) {
    if (!all[rank].empty()) {
      const int code = all[rank][0];
      const bool is_error = code > 0 && code <= static_cast<int>(absl::StatusCode::kUnauthenticated);
      return absl::Status(is_error ? static_cast<absl::StatusCode>(code) : absl::StatusCode::kInternal,
                          absl::StrCat("rank ", rank, ": ", all[rank].substr(1)));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckOneHost(const GatherBytes& gather) {
  ASSIGN_OR_RETURN(const std::vector<std::string> keys, gather(HostKey(ThisHost())));
  std::vector<HostIdentity> hosts;
  for (const std::string& key : keys) {
    hosts.push_back(ParseHostKey(key).value_or(HostIdentity{key, "", ""}));
  }
  for (size_t rank = 0; rank < hosts.size(); ++rank) {
    if (const std::string difference = HostDifference(hosts[0], hosts[rank]); !difference.empty()) {
      return absl::FailedPreconditionError(
          absl::StrCat("ranks 0 and ", rank, " of ", hosts.size(), " are ", difference));
    }
  }
  return absl::OkStatus();
}

}  // namespace lockstep
