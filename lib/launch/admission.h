// Admission: the listening side of a run. A process that connects must prove that it knows the run's secret
// (handshake.h) before anything else is read or sent. The cost of strangers is bounded:
//   - At most kMaxUnproven connections are unproven. At this limit, a new connection waits in the kernel until the
//     oldest unproven connection has had kMinSlotTime, and then replaces it.
//   - Each connection may use kHandshakeTimeout and 72 bytes for its proof.
//   - One call does a bounded amount of work.
#ifndef LOCKSTEP_LIB_LAUNCH_ADMISSION_H_
#define LOCKSTEP_LIB_LAUNCH_ADMISSION_H_

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/base/monotonic_time.h"
#include "lib/launch/handshake.h"
#include "lib/launch/run_secret.h"
#include "lib/launch/secure_socket.h"
#include "lib/launch/tcp_socket.h"

namespace lockstep {

inline constexpr size_t kMaxUnproven = 32;

// Minimum time that an unproven connection keeps its slot. It is enough for the two messages of a process of this run,
// so that a large world is admitted even if all its processes connect at once.
inline constexpr absl::Duration kMinSlotTime = absl::Milliseconds(100);

// Not thread-safe.
class Admission {
 public:
  Admission(TcpSocket listener, const RunSecret& secret);

  // Waits for a connection or for bytes, at most `timeout`, and returns the connections that have proven the secret
  // since the last call. May return an empty list early. Returns UnavailableError, once only, if no descriptor is left
  // for another connection. If strangers hold descriptors, their connections are closed instead.
  absl::StatusOr<std::vector<SecureSocket>> Wait(absl::Duration timeout);

  // Adds the descriptors that a poll(2) of the caller must watch. After the poll, the caller must call
  // Wait(absl::ZeroDuration()), which does not block. The poll must last at most kMinSlotTime, because the listener is
  // left out while no slot is free for another connection.
  void AddPollFds(std::vector<pollfd>& fds) const;

  // Returns the port of the listener.
  uint16_t port() const { return LocalPort(listener_); }

  // Returns "; 3 connections, the last one from 10.0.0.7, did not prove that they know this run's secret", or an empty
  // text if no proof failed. Connections that sent nothing are not counted.
  std::string DescribeRefused() const;

 private:
  struct Unproven {
    TcpSocket socket;
    Handshake handshake;
    MonotonicTime since;
  };

  bool MayAccept() const;
  void ServeAll(std::vector<SecureSocket>& proven);
  absl::Status AcceptAll();
  bool Serve(Unproven& connection, std::vector<SecureSocket>& proven);
  void Refuse(const TcpSocket& socket);

  const TcpSocket listener_;
  const RunSecret secret_;
  std::deque<Unproven> unproven_;  // unproven connections, the oldest first
  size_t refused_ = 0;
  std::string last_refused_;  // address of the last refused connection
  bool reported_exhaustion_ = false;
  MonotonicTime accept_after_ = MonotonicTime::InfinitePast();  // time of the next attempt after descriptors ran out
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_ADMISSION_H_
