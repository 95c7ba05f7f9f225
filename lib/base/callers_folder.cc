#include "lib/base/callers_folder.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace lockstep {

absl::Status EnterCallersFolder() {
  const char* folder = std::getenv("BUILD_WORKING_DIRECTORY");
  if (folder == nullptr || chdir(folder) == 0) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("BUILD_WORKING_DIRECTORY=", folder,
                                                 ": cannot enter this folder: ", std::strerror(errno),
                                                 "; name one that exists, or unset the variable"));
}

}  // namespace lockstep
