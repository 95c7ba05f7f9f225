// Text that rank 0 publishes in torchrun's store for the other ranks: its port, and a secret if the environment holds
// none. Does not depend on LibTorch.
#ifndef LOCKSTEP_LIB_LAUNCH_PUBLISHED_RENDEZVOUS_H_
#define LOCKSTEP_LIB_LAUNCH_PUBLISHED_RENDEZVOUS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/launch/run_secret.h"

namespace lockstep {

struct PublishedRendezvous {
  uint16_t port = 0;  // port at which rank 0 listens
  std::optional<RunSecret> secret;
};

// Returns the port, a space, and 64 hex digits or "-".
std::string ToText(const PublishedRendezvous& rendezvous);

// Parses the result of ToText. Returns UnavailableError, without the text, if `text` is something else: everybody who
// can reach torchrun's store may write to it.
absl::StatusOr<PublishedRendezvous> ReadPublishedRendezvous(absl::string_view text);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_PUBLISHED_RENDEZVOUS_H_
