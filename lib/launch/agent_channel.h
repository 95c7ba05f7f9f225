// Connection between the leader and one agent: messages in both directions, sealed (sealed_frames.h) and checked
// (check_message.h), and heartbeats.
//
// The end of a process closes its connection, which the other end notices at once. A process that is stopped, or whose
// host is cut off, is detected by its silence: each end sends kHeartbeatsPerTimeout heartbeats per timeout, and is lost
// if it sends nothing for a whole timeout.
#ifndef LOCKSTEP_LIB_LAUNCH_AGENT_CHANNEL_H_
#define LOCKSTEP_LIB_LAUNCH_AGENT_CHANNEL_H_

#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "lib/base/monotonic_time.h"
#include "lib/launch/sealed_frames.h"
#include "lib/launch/secure_socket.h"
#include "lib/launch/tcp_socket.h"
#include "lib/proto/agent.pb.h"

namespace lockstep {

inline constexpr int kHeartbeatsPerTimeout = 8;

// Largest description of a process. It has a few kilobytes: the program's flags and their values.
inline constexpr size_t kMaxDescriptionBytes = size_t{64} << 10;

// Largest message. A rank's result has kilobytes, or megabytes for the samples of its epochs with --repeats=1000000.
inline constexpr size_t kMaxAgentMessageBytes = size_t{64} << 20;

class AgentChannel {
 public:
  // `max_bytes` is the size of the largest message that is accepted from the other end.
  AgentChannel(SecureSocket connection, absl::Duration timeout, size_t max_bytes = kMaxAgentMessageBytes);

  // Sets the size of the largest message that is accepted from now on. Must be called by the thread that calls Receive.
  void set_max_bytes(size_t max_bytes) { opener_.set_max_bytes(max_bytes); }

  // Writes the whole message, within the timeout. Returns UnavailableError, now and in each later call, if the other
  // end is gone, and InvalidArgumentError if the message has more than kMaxAgentMessageBytes. Thread-safe.
  absl::Status Send(const proto::AgentMessage& message);

  // Sends a heartbeat if the next one is due and the connection takes it without blocking. Thread-safe.
  void SendHeartbeat();

  // Reads available bytes until a message for Take is complete, or many heartbeats have been read. A call does a
  // bounded amount of work, so that the caller can check for a stop signal between two calls.
  //
  // Returns these errors, now and in each later call, once all earlier messages have been taken: UnavailableError if
  // the other end is gone or has been silent for the timeout, DataLossError if it sent a message that no process of a
  // run sends.
  absl::Status Receive();

  // Takes the oldest message that Receive has read. Returns false if there is none.
  bool Take(proto::AgentMessage& message);

  const TcpSocket& socket() const { return socket_; }

 private:
  absl::Status ReadFrame(std::string& body);
  absl::Status ReadMessages();

  const TcpSocket socket_;
  const absl::Duration timeout_;
  std::mutex sending_;
  FrameSealer sealer_;                                       // guarded by sending_
  MonotonicTime last_sent_ = MonotonicTime::InfinitePast();  // guarded by sending_
  absl::Status send_state_;                                  // guarded by sending_
  MonotonicTime last_received_;
  absl::Status state_;
  FrameOpener opener_;
  std::deque<proto::AgentMessage> received_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_AGENT_CHANNEL_H_
