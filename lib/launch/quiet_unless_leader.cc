#include "lib/launch/quiet_unless_leader.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

#include "lib/launch/launch_environment.h"

namespace lockstep {

QuietUnlessLeader::QuietUnlessLeader(const std::string& launcher) {
  const absl::StatusOr<LaunchPlace> place =
      ReadLaunchPlace(launcher, [](const char* name) { return std::getenv(name); });
  const int nowhere = place.ok() && place->rank > 0 ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
  if (nowhere >= 0) {
    stderr_ = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    close(nowhere);
  }
}

QuietUnlessLeader::~QuietUnlessLeader() {
  if (stderr_ >= 0) {
    dup2(stderr_, STDERR_FILENO);
    close(stderr_);
  }
}

}  // namespace lockstep
