// The connection between the leader and one agent: messages both ways, and whether the other end still lives.
//
// A process that ends closes its connection, which is seen at once. One that is stopped, or whose host is cut off, is
// seen by its silence: each end says `alive` kBeatsPerTimeout times within the timeout, and is lost when it says nothing
// for that long.
#ifndef LOCKSTEP_LIB_LAUNCH_AGENT_CHANNEL_H_
#define LOCKSTEP_LIB_LAUNCH_AGENT_CHANNEL_H_

#include <deque>
#include <mutex>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "lib/launch/message_frames.h"
#include "lib/launch/tcp_socket.h"
#include "lib/proto/agent.pb.h"

namespace lockstep {

inline constexpr int kBeatsPerTimeout = 8;

class AgentChannel {
 public:
  AgentChannel(TcpSocket socket, absl::Duration timeout);

  // Writes it whole, after at most the timeout. Any thread. Unavailable: the other end is gone.
  absl::Status Send(const proto::AgentMessage& message);

  // Says that this end lives when it is time for that again, and there is room for it. Any thread.
  void Beat();

  // Reads what is there. Unavailable, also in each later call, when the other end is gone and all that it sent was taken,
  // or it has been silent for the timeout.
  absl::Status Receive();

  // Takes the oldest message that Receive has read; false: none.
  bool Take(proto::AgentMessage& message);

  const TcpSocket& socket() const { return socket_; }

 private:
  absl::Status ReadAll();

  const TcpSocket socket_;
  const absl::Duration timeout_;
  std::mutex sending_;
  absl::Time last_sent_ = absl::InfinitePast();  // guarded by sending_
  absl::Time last_heard_;
  absl::Status state_;
  FrameParser parser_;
  std::deque<proto::AgentMessage> received_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_AGENT_CHANNEL_H_
