// The listening side of a run: who connects must prove that it knows the run's secret (handshake.h) before anything else
// is read or said. Strangers cost little, whatever they do:
//   - at most kMaxUnproven connections have not proven it yet; while there are as many, a newer one takes the place of
//     the oldest as soon as that one has had kFairShare, and waits in the kernel until then,
//   - each has kHandshakePatience for it, and 72 bytes,
//   - one call does a bounded amount of work.
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

// Enough for the two messages of a process of this run, so that a large world that comes at once is let in.
inline constexpr absl::Duration kFairShare = absl::Milliseconds(100);

// Not thread-safe.
class Admission {
 public:
  Admission(TcpSocket listener, const RunSecret& secret);

  // Waits until somebody connects or says something, at most `patience`, and returns those that have proven the secret
  // since the last call; may be empty also after less. UnavailableError, once, if no descriptor is left for a further
  // connection; if strangers hold descriptors, those are closed instead, and no error is returned.
  absl::StatusOr<std::vector<SecureSocket>> Wait(absl::Duration patience);

  // Adds what a poll of the caller's own must watch; Wait(absl::ZeroDuration()), which does not block, then does the work.
  // Such a poll must last kFairShare at most: the listener is left out while it has no room for a further connection.
  void AddPollFds(std::vector<pollfd>& fds) const;

  // Port of the listener.
  uint16_t port() const { return LocalPort(listener_); }

  // "; 3 connections, the last one from 10.0.0.7, did not prove that they know this run's secret"; empty if all did.
  // Those that said nothing are not counted.
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
  std::deque<Unproven> unproven_;  // the oldest first
  size_t refused_ = 0;
  std::string last_refused_;  // address
  bool told_exhausted_ = false;
  MonotonicTime accept_after_ = MonotonicTime::InfinitePast();  // until then no descriptor is left, and it is not tried
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_ADMISSION_H_
