#include "lib/peer/gather_bytes.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
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
  const HostIdentity own = ThisHost();
  ASSIGN_OR_RETURN(const std::vector<std::string> all,
                   gather(absl::StrCat(own.boot_id, "\n", own.network, "\n", own.virtual_host)));
  std::vector<HostIdentity> hosts;
  for (const std::string& text : all) {
    const std::vector<std::string> lines = absl::StrSplit(text, '\n');
    hosts.push_back(lines.size() == 3 ? HostIdentity{lines[0], lines[1], lines[2]} : HostIdentity{text, "", ""});
  }
  for (size_t rank = 0; rank < hosts.size(); ++rank) {
    HostIdentity host = hosts[rank];
    if (host.boot_id.empty() || hosts[0].boot_id.empty()) {
      host.boot_id = hosts[0].boot_id;  // unknown: the attempt to share memory decides
    }
    if (const std::string difference = HostDifference(hosts[0], host); !difference.empty()) {
      return absl::FailedPreconditionError(
          absl::StrCat("ranks 0 and ", rank, " of ", hosts.size(), " are ", difference));
    }
  }
  return absl::OkStatus();
}

}  // namespace lockstep
