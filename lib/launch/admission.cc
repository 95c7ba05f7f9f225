#include "lib/launch/admission.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/random_bytes.h"
#include "lib/base/status_macros.h"
#include "lib/launch/tcp_address.h"

namespace lockstep {

Admission::Admission(TcpSocket listener, const RunSecret& secret) : listener_(std::move(listener)), secret_(secret) {}

bool Admission::MayAccept() const {
  const MonotonicTime now = MonotonicTime::Now();
  return now >= accept_after_ && (unproven_.size() < kMaxUnproven || now >= unproven_.front().since + kMinSlotTime);
}

void Admission::AddPollFds(std::vector<pollfd>& fds) const {
  fds.push_back({MayAccept() ? listener_.fd() : -1, POLLIN, 0});  // poll ignores -1
  for (const Unproven& connection : unproven_) {
    fds.push_back({connection.socket.fd(), POLLIN, 0});
  }
}

void Admission::Refuse(const TcpSocket& socket) {
  ++refused_;
  last_refused_ = PeerAddress(socket.fd());
}

std::string Admission::DescribeRefused() const {
  return refused_ == 0
             ? ""
             : absl::StrCat("; ", refused_, refused_ == 1 ? " connection" : " connections", ", the last one from ",
                            last_refused_, ", did not prove that they know this run's secret");
}

// Accepts at most kMaxUnproven connections, so that a flood of connections cannot keep this loop running.
absl::Status Admission::AcceptAll() {
  for (size_t count = 0; count < kMaxUnproven && MayAccept(); ++count) {
    absl::StatusOr<TcpSocket> socket = TryAccept(listener_);
    if (!socket.ok() && !unproven_.empty()) {  // strangers may have taken the last descriptors
      unproven_.pop_front();
      continue;
    }
    RETURN_IF_ERROR(socket.status());
    if (socket->fd() < 0) {
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(std::string nonce, RandomBytes(kNonceBytes));
    if (unproven_.size() == kMaxUnproven) {
      unproven_.pop_front();
    }
    SetNoDelay(*socket);
    unproven_.push_back(
        {*std::move(socket), Handshake(Side::kListening, secret_, std::move(nonce)), MonotonicTime::Now()});
  }
  return absl::OkStatus();
}

// Reads once from the connection. Returns false if it has proven the secret, has failed to, or has timed out. Sending
// does not block, because the output fits into the send buffer of a fresh connection.
bool Admission::Serve(Unproven& connection, std::vector<SecureSocket>& proven) {
  char buffer[kHandshakeBytes];
  const ssize_t n = recv(connection.socket.fd(), buffer, connection.handshake.BytesNeeded(), 0);
  if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
    return false;
  }
  absl::string_view bytes(buffer, n > 0 ? static_cast<size_t>(n) : 0);
  const absl::StatusOr<bool> done = connection.handshake.Consume(bytes);
  if (!done.ok()) {
    Refuse(connection.socket);
    return false;
  }
  if (!SendAll(connection.socket, connection.handshake.TakeOutput(), MonotonicTime::InfinitePast()).ok()) {
    return false;
  }
  if (*done) {
    proven.push_back({std::move(connection.socket), connection.handshake.keys()});
  }
  return !*done && MonotonicTime::Now() < connection.since + kHandshakeTimeout;
}

void Admission::ServeAll(std::vector<SecureSocket>& proven) {
  std::deque<Unproven> left;
  for (Unproven& connection : unproven_) {
    if (Serve(connection, proven)) {
      left.push_back(std::move(connection));
    }
  }
  unproven_ = std::move(left);
}

absl::StatusOr<std::vector<SecureSocket>> Admission::Wait(absl::Duration timeout) {
  std::vector<pollfd> fds;
  AddPollFds(fds);
  const absl::Duration longest = fds[0].fd < 0 ? kMinSlotTime : absl::Seconds(60);
  poll(fds.data(), fds.size(), static_cast<int>(absl::ToInt64Milliseconds(std::min(timeout, longest))));
  std::vector<SecureSocket> proven;
  ServeAll(proven);  // first, so that no new connection replaces one that has just sent its proof
  const absl::Status accepted = AcceptAll();
  if (!accepted.ok()) {
    accept_after_ = MonotonicTime::Now() + kMinSlotTime;
  }
  if (!accepted.ok() && proven.empty() && !std::exchange(reported_exhaustion_, true)) {
    return accepted;
  }
  return proven;
}

}  // namespace lockstep
