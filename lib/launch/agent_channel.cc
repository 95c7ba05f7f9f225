#include "lib/launch/agent_channel.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

bool CanWrite(const TcpSocket& socket, absl::Duration patience) {
  pollfd writable = {socket.fd(), POLLOUT, 0};
  return poll(&writable, 1, static_cast<int>(absl::ToInt64Milliseconds(patience))) > 0;
}

absl::Status Gone(absl::string_view why) {
  return absl::UnavailableError(absl::StrCat("its connection is gone: ", why));
}

}  // namespace

AgentChannel::AgentChannel(TcpSocket socket, absl::Duration timeout)
    : socket_(std::move(socket)), timeout_(timeout), last_heard_(absl::Now()) {
  const int on = 1;  // a message is small, and somebody waits for it
  setsockopt(socket_.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

absl::Status AgentChannel::Send(const proto::AgentMessage& message) {
  const std::string frame = ToFrame(message);
  const std::lock_guard<std::mutex> lock(sending_);
  const absl::Time deadline = absl::Now() + timeout_;
  for (size_t sent = 0; sent < frame.size();) {
    const ssize_t n = send(socket_.fd(), frame.data() + sent, frame.size() - sent, MSG_NOSIGNAL);
    if (n > 0) {
      sent += static_cast<size_t>(n);
    } else if (errno != EAGAIN && errno != EINTR) {
      return Gone(std::strerror(errno));
    } else if (absl::Now() > deadline) {
      return Gone(absl::StrCat("it took nothing for ", absl::FormatDuration(timeout_)));
    } else {
      CanWrite(socket_, absl::Milliseconds(50));
    }
  }
  last_sent_ = absl::Now();
  return absl::OkStatus();
}

void AgentChannel::Beat() {
  {
    const std::lock_guard<std::mutex> lock(sending_);
    if (absl::Now() - last_sent_ < timeout_ / kBeatsPerTimeout || !CanWrite(socket_, absl::ZeroDuration())) {
      return;
    }
  }
  proto::AgentMessage message;
  message.set_alive(true);
  Send(message).IgnoreError();  // Receive finds the same
}

absl::Status AgentChannel::ReadAll() {
  char buffer[65536];
  while (true) {
    const ssize_t n = recv(socket_.fd(), buffer, sizeof(buffer), 0);
    if (n == 0) {
      return Gone("closed");
    }
    if (n < 0 && errno != EINTR) {
      return errno == EAGAIN ? absl::OkStatus() : Gone(std::strerror(errno));
    }
    if (n > 0) {
      last_heard_ = absl::Now();
      parser_.Append({buffer, static_cast<size_t>(n)});
    }
  }
}

absl::Status AgentChannel::Receive() {
  if (!state_.ok()) {
    return received_.empty() ? state_ : absl::OkStatus();
  }
  state_ = ReadAll();
  proto::AgentMessage message;
  absl::StatusOr<bool> found = parser_.Next(message);
  for (; found.ok() && *found; found = parser_.Next(message)) {
    if (!message.alive()) {
      received_.push_back(message);
    }
  }
  if (!found.ok()) {
    state_ = found.status();
  } else if (state_.ok() && absl::Now() - last_heard_ > timeout_) {
    state_ = Gone(absl::StrCat("silent for ", absl::FormatDuration(timeout_)));
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
