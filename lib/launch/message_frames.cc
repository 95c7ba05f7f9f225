#include "lib/launch/message_frames.h"

#include <cstdint>

#include "absl/strings/str_cat.h"

namespace lockstep {
namespace {

constexpr size_t kLengthBytes = 4;

}  // namespace

std::string ToFrame(const proto::AgentMessage& message) {
  const std::string body = message.SerializeAsString();
  std::string frame;
  for (int shift = 24; shift >= 0; shift -= 8) {
    frame.push_back(static_cast<char>(body.size() >> shift & 0xFF));
  }
  return frame + body;
}

absl::StatusOr<bool> FrameParser::Next(proto::AgentMessage& message) {
  if (bytes_.size() < kLengthBytes) {
    return false;
  }
  size_t length = 0;
  for (size_t i = 0; i < kLengthBytes; ++i) {
    length = length << 8 | static_cast<unsigned char>(bytes_[i]);
  }
  if (length > kMaxFrameBytes) {
    return absl::DataLossError(
        absl::StrCat("expected a message of at most ", kMaxFrameBytes, " bytes, found ", length));
  }
  if (bytes_.size() < kLengthBytes + length) {
    return false;
  }
  if (!message.ParseFromArray(bytes_.data() + kLengthBytes, static_cast<int>(length))) {
    return absl::DataLossError("expected a message, found bytes that do not parse");
  }
  bytes_.erase(0, kLengthBytes + length);
  return true;
}

}  // namespace lockstep
