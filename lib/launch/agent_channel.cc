#include "lib/launch/agent_channel.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/launch/check_message.h"

namespace lockstep {
namespace {

// Heartbeats that one call of Receive reads at most: the backlog of a leader that was busy for minutes.
constexpr int kMaxBeats = 256;

absl::Status Gone(absl::string_view why) {
  return absl::UnavailableError(absl::StrCat("its connection is lost: ", why));
}

bool CanWrite(const TcpSocket& socket) {
  pollfd writable = {socket.fd(), POLLOUT, 0};
  return poll(&writable, 1, 0) > 0;
}

}  // namespace

AgentChannel::AgentChannel(SecureSocket connection, absl::Duration timeout, size_t max_bytes)
    : socket_(std::move(connection.socket)), timeout_(timeout), sealer_(std::move(connection.keys.send)),
      last_received_(MonotonicTime::Now()), opener_(std::move(connection.keys.receive), max_bytes) {
  SetNoDelay(socket_);
}

absl::Status AgentChannel::Send(const proto::AgentMessage& message) {
  const std::string body = message.SerializeAsString();
  if (body.size() > kMaxAgentMessageBytes) {
    return absl::InvalidArgumentError(absl::StrCat("expected a message of at most ", kMaxAgentMessageBytes,
                                                   " bytes for another process of the run, found ", body.size()));
  }
  const std::lock_guard<std::mutex> lock(sending_);
  RETURN_IF_ERROR(send_state_);  // after a partly sent message, the other end could not find the start of the next
  const absl::Status sent = SendAll(socket_, sealer_.Seal(body), MonotonicTime::Now() + timeout_);
  if (!sent.ok()) {
    send_state_ = Gone(absl::StrCat(sent.message(), " (--timeout=", absl::FormatDuration(timeout_), ")"));
    return send_state_;
  }
  last_sent_ = MonotonicTime::Now();
  return absl::OkStatus();
}

void AgentChannel::SendHeartbeat() {
  {
    const std::lock_guard<std::mutex> lock(sending_);
    if (MonotonicTime::Now() - last_sent_ < timeout_ / kHeartbeatsPerTimeout || !CanWrite(socket_)) {
      return;
    }
  }
  proto::AgentMessage message;
  message.set_heartbeat(true);
  Send(message).IgnoreError();  // Receive returns the same error
}

// Reads to the end of one frame and no further. Returns NotFoundError if the frame is not complete yet.
absl::Status AgentChannel::ReadFrame(std::string& body) {
  char buffer[65536];
  while (true) {
    ASSIGN_OR_RETURN(const bool found, opener_.Next(body));
    if (found) {
      return absl::OkStatus();
    }
    const ssize_t n = recv(socket_.fd(), buffer, std::min(sizeof(buffer), opener_.BytesNeeded()), 0);
    if (n == 0) {
      return Gone("closed");
    }
    if (n < 0 && errno != EINTR) {
      return errno == EAGAIN ? absl::NotFoundError("") : Gone(std::strerror(errno));
    }
    if (n > 0) {
      last_received_ = MonotonicTime::Now();
      opener_.Append({buffer, static_cast<size_t>(n)});
    }
  }
}

absl::Status AgentChannel::ReadMessages() {
  std::string body;
  for (int beats = 0; beats < kMaxBeats && received_.empty(); ++beats) {
    RETURN_IF_ERROR(ReadFrame(body));
    proto::AgentMessage message;
    if (!message.ParseFromString(body)) {
      return absl::DataLossError("expected a message, found bytes that do not parse");
    }
    RETURN_IF_ERROR(CheckMessage(message));
    if (!message.heartbeat()) {
      received_.push_back(std::move(message));
    }
  }
  return absl::OkStatus();
}

absl::Status AgentChannel::Receive() {
  if (state_.ok() && received_.empty()) {
    const absl::Status read = ReadMessages();
    if (!absl::IsNotFound(read)) {
      state_ = read;
    } else if (MonotonicTime::Now() - last_received_ > timeout_) {
      state_ = Gone(absl::StrCat("no message for ", absl::FormatDuration(timeout_)));
    }
  }
  return received_.empty() ? state_ : absl::OkStatus();
}

bool AgentChannel::Take(proto::AgentMessage& message) {
  if (received_.empty()) {
    return false;
  }
  message = std::move(received_.front());
  received_.pop_front();
  return true;
}

}  // namespace lockstep
