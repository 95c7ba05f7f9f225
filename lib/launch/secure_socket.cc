#include "lib/launch/secure_socket.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "lib/base/random_bytes.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"

namespace lockstep {
namespace {

constexpr absl::Duration kPollInterval = absl::Milliseconds(50);

// Returns the bytes of one read; empty if there are none yet. Returns UnavailableError if the other end closed the
// connection, or reading failed.
absl::StatusOr<absl::string_view> ReadSome(const TcpSocket& socket, size_t wanted, char* buffer) {
  const ssize_t n = recv(socket.fd(), buffer, wanted, 0);
  if (n > 0) {
    return absl::string_view(buffer, static_cast<size_t>(n));
  }
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
    return absl::string_view();
  }
  return absl::UnavailableError(n == 0 ? "it closed the connection before it proved that it knows this run's secret"
                                       : std::strerror(errno));
}

// Makes one attempt. UnavailableError and DeadlineExceededError mean that there was no proof by the deadline, and that
// the caller may try again. UnauthenticatedError means that the listener does not belong to this run.
absl::StatusOr<SecureSocket> ConnectAndProve(const std::string& host, uint16_t port, const RunSecret& secret,
                                             MonotonicTime deadline) {
  ASSIGN_OR_RETURN(TcpSocket socket, ConnectOnce(host, port));
  SetNoDelay(socket);
  ASSIGN_OR_RETURN(std::string nonce, RandomBytes(kNonceBytes));
  Handshake handshake(Side::kConnecting, secret, std::move(nonce));
  char buffer[kHandshakeBytes];
  RETURN_IF_ERROR(SendAll(socket, handshake.TakeOutput(), deadline));
  while (true) {
    RETURN_IF_ERROR(CheckNotStopped());
    ASSIGN_OR_RETURN(absl::string_view bytes, ReadSome(socket, handshake.BytesNeeded(), buffer));
    ASSIGN_OR_RETURN(const bool proven, handshake.Consume(bytes));
    RETURN_IF_ERROR(SendAll(socket, handshake.TakeOutput(), deadline));
    if (proven) {
      return SecureSocket{std::move(socket), handshake.keys()};
    }
    if (MonotonicTime::Now() > deadline) {
      return absl::DeadlineExceededError("the listening process accepts connections but does not answer");
    }
    WaitReadable(socket, kPollInterval);
  }
}

}  // namespace

absl::StatusOr<SecureSocket> ConnectSecurely(const std::string& host, uint16_t port, const RunSecret& secret,
                                             MonotonicTime deadline) {
  const MonotonicTime start = MonotonicTime::Now();
  std::string found;  // most informative error so far; the last attempt may have been too short to fail with one
  while (true) {
    RETURN_IF_ERROR(CheckNotStopped());
    absl::StatusOr<SecureSocket> connection =
        ConnectAndProve(host, port, secret, std::min(deadline, MonotonicTime::Now() + kHandshakeTimeout));
    const absl::Status status = connection.status();
    if (absl::IsUnauthenticated(status)) {
      return absl::UnavailableError(
          absl::StrCat(host, ":", port, ": the listening process does not know this run's secret: ", status.message()));
    }
    if (!absl::IsUnavailable(status) && !absl::IsDeadlineExceeded(status)) {
      return connection;
    }
    if (found.empty() || absl::IsUnavailable(status)) {
      found = std::string(status.message());
    }
    if (MonotonicTime::Now() > deadline) {
      return absl::UnavailableError(
          absl::StrCat("no answer from ", host, ":", port, " for ",
                       absl::FormatDuration(absl::Trunc(MonotonicTime::Now() - start, absl::Seconds(1))), ": ", found));
    }
    absl::SleepFor(kPollInterval);
  }
}

}  // namespace lockstep
