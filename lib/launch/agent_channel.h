// The connection between the leader and one agent: messages both ways, sealed (sealed_frames.h) and checked
// (check_message.h), and whether the other end still lives.
//
// A process that ends closes its connection, which is seen at once. One that is stopped, or whose host is cut off, is
// seen by its silence: each end says `alive` kBeatsPerTimeout times within the timeout, and is lost when it says nothing
// for that long.
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

inline constexpr int kBeatsPerTimeout = 8;

// A hello is a few kilobytes: the program's flags and their values.
inline constexpr size_t kMaxHelloBytes = size_t{64} << 10;

// A rank's answer is kilobytes; its epochs' samples, with --repeats=1000000, are megabytes.
inline constexpr size_t kMaxAgentMessageBytes = size_t{64} << 20;

class AgentChannel {
 public:
  // `max_bytes`: size of the largest message that is taken from the other end.
  AgentChannel(SecureSocket connection, absl::Duration timeout, size_t max_bytes = kMaxAgentMessageBytes);

  // Sets the largest message that is taken from now on. The thread that calls Receive.
  void set_max_bytes(size_t max_bytes) { opener_.set_max_bytes(max_bytes); }

  // Writes it whole, after at most the timeout. Any thread. UnavailableError, also in each later call, if the other end is
  // gone; InvalidArgumentError if the message has more than kMaxAgentMessageBytes.
  absl::Status Send(const proto::AgentMessage& message);

  // Says that this end lives when it is time for that again, and there is room for it. Any thread.
  void Beat();

  // Reads what is there, until it has read a message that Take returns, or many that say only `alive`. So a call does a
  // bounded amount of work, and its caller can look for a stop signal between two.
  //
  // UnavailableError, also in each later call, if the other end is gone and all that it sent was taken, or it has been
  // silent for the timeout. DataLossError if it says what no process of a run says.
  absl::Status Receive();

  // Takes the oldest message that Receive has read; false: there is none.
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
  MonotonicTime last_heard_;
  absl::Status state_;
  FrameOpener opener_;
  std::deque<proto::AgentMessage> received_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_AGENT_CHANNEL_H_
