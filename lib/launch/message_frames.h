// AgentMessages in a stream of bytes: each behind its length, four bytes, the highest first. Knows nothing of sockets.
#ifndef LOCKSTEP_LIB_LAUNCH_MESSAGE_FRAMES_H_
#define LOCKSTEP_LIB_LAUNCH_MESSAGE_FRAMES_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/proto/agent.pb.h"

namespace lockstep {

// A rank's answer is kilobytes; its epochs' samples, with --repeats=1000000, are megabytes.
inline constexpr size_t kMaxFrameBytes = size_t{64} << 20;

std::string ToFrame(const proto::AgentMessage& message);

class FrameParser {
 public:
  void Append(absl::string_view bytes) { bytes_.append(bytes.data(), bytes.size()); }

  // Takes the next message that is there whole; false when none is. DataLoss: the bytes are no messages.
  absl::StatusOr<bool> Next(proto::AgentMessage& message);

 private:
  std::string bytes_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_MESSAGE_FRAMES_H_
