#include "lib/base/open_files.h"

#include <sys/resource.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "lib/base/system_call_error.h"

namespace lockstep {

absl::Status EnsureOpenFiles(uint64_t count) {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return SystemCallError("getrlimit", errno);
  }
  if (limit.rlim_cur >= count) {  // also true for RLIM_INFINITY, the largest number
    return absl::OkStatus();
  }
  if (limit.rlim_max < count) {
    return absl::UnavailableError(absl::StrCat("expected a limit of at least ", count, " open files, found ",
                                               limit.rlim_max, "; raise the limit (ulimit -n ", count,
                                               "), then run the command again"));
  }
  limit.rlim_cur = count;
  return setrlimit(RLIMIT_NOFILE, &limit) == 0 ? absl::OkStatus() : SystemCallError("setrlimit", errno);
}

}  // namespace lockstep
