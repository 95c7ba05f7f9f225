#include "lib/record/stopped_run.h"

#include <sys/stat.h>

#include "absl/strings/str_cat.h"

namespace lockstep {

absl::Status WithWhatIsKept(const absl::Status& status, const std::string& output) {
  if (!absl::IsCancelled(status) || output == "-") {
    return status;
  }
  struct stat info;
  const bool is_kept = stat(absl::StrCat(output, ".part").c_str(), &info) == 0 && info.st_size > 0;
  return absl::CancelledError(absl::StrCat(
      status.message(), is_kept ? absl::StrCat("; the same command, without --force, goes on from ", output, ".part")
                                : "; nothing was complete yet, so the same command begins again"));
}

}  // namespace lockstep
