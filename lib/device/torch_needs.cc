#include "lib/device/torch_needs.h"

#include <limits.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/device/openmp_environment.h"

namespace lockstep {
namespace {

// Checks the working folder. MKL searches for its libraries with a buffer of PATH_MAX bytes.
absl::Status CheckWorkingFolder() {
  char folder[PATH_MAX];
  if (getcwd(folder, sizeof(folder)) != nullptr) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("expected a working folder that exists, with a path of less than ",
                                                 PATH_MAX, " bytes; found: ", std::strerror(errno),
                                                 "; change to another folder (cd)"));
}

}  // namespace

absl::Status CheckTorchNeeds() {
  RETURN_IF_ERROR(CheckWorkingFolder());
  RETURN_IF_ERROR(CheckOpenMpEnvironment());
  constexpr char kRandomSource[] = "/dev/urandom";
  if (access(kRandomSource, R_OK) != 0) {
    return absl::UnavailableError(absl::StrCat("cannot read ", kRandomSource, ", which LibTorch needs: ",
                                               std::strerror(errno), "; mount /dev (mount -t devtmpfs dev /dev)"));
  }
  return absl::OkStatus();
}

}  // namespace lockstep
