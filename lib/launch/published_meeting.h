// Text that rank 0 publishes in torchrun's store, so that the others find it: a port, and a secret if the environment gave none.
// Knows nothing of LibTorch.
#ifndef LOCKSTEP_LIB_LAUNCH_PUBLISHED_MEETING_H_
#define LOCKSTEP_LIB_LAUNCH_PUBLISHED_MEETING_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/launch/run_secret.h"

namespace lockstep {

struct PublishedMeeting {
  uint16_t port = 0;  // at which rank 0 listens
  std::optional<RunSecret> secret;
};

// Returns the port, a space, and 64 hex digits or "-".
std::string ToText(const PublishedMeeting& meeting);

// Reads what ToText wrote. Returns UnavailableError, without the text, if it is something else: torchrun's store lets
// everybody write who reaches it.
absl::StatusOr<PublishedMeeting> ReadPublishedMeeting(absl::string_view text);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_PUBLISHED_MEETING_H_
