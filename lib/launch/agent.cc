#include "lib/launch/agent.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/base/subprocess.h"
#include "lib/launch/agent_order.h"
#include "lib/launch/rank_process.h"
#include "lib/launch/tcp_address.h"

namespace lockstep {
namespace {

constexpr absl::Duration kPollInterval = absl::Milliseconds(100);  // interval of an agent without a rank

// Time from a stop signal until the leader's verdict must arrive. The leader ends all ranks first (ShutdownDeadline).
constexpr absl::Duration kStopGrace = absl::Seconds(6);

proto::AgentMessage ToMessage(const ChildExit& exit) {
  proto::AgentMessage message;
  message.mutable_exit()->set_signalled(exit.signalled);
  message.mutable_exit()->set_code(exit.code);
  message.mutable_exit()->set_ended_by_parent(exit.ended_by_parent);
  message.mutable_exit()->set_out_of_memory(exit.out_of_memory);
  message.mutable_exit()->set_unkillable(exit.unkillable);
  message.mutable_exit()->set_result(exit.result);
  return message;
}

}  // namespace

absl::StatusOr<proto::AgentVerdict> Agent::Run() {
  proto::AgentMessage first_message;
  *first_message.mutable_description() = description_;
  RETURN_IF_ERROR(channel_.Send(first_message));
  while (true) {
    Tick();
    if (verdict_ != nullptr) {
      return *verdict_;
    }
    if (!leader_.ok()) {
      return absl::UnavailableError(absl::StrCat("rank ", description_.rank(), " of ", description_.size(), " on ",
                                                 description_.host_name(),
                                                 ": rank 0, the leader, is lost: ", leader_.message()));
    }
    if (MonotonicTime::Now() > leave_at_) {
      return CheckNotStopped();
    }
    if (order_ != nullptr) {
      RETURN_IF_ERROR(RunRank());
    } else {
      WaitReadable(channel_.socket(), kPollInterval);
    }
  }
}

void Agent::Tick() {
  channel_.SendHeartbeat();
  if (StopRequested() && leave_at_ == MonotonicTime::InfiniteFuture()) {
    leave_at_ = MonotonicTime::Now() + kStopGrace;
    proto::AgentMessage stop;
    stop.set_stop_signal(StopSignal());
    channel_.Send(stop).IgnoreError();  // Receive returns the same error
  }
  if (leader_.ok()) {
    leader_ = channel_.Receive();
  }
  proto::AgentMessage message;
  while (channel_.Take(message)) {
    if (message.has_order() && message.order().size() <= description_.rank()) {
      leader_ = absl::UnavailableError(
          absl::StrCat("it ordered a run of ", message.order().size(), " ranks, in which this process has no rank"));
    } else if (message.has_order()) {
      order_ = std::make_unique<proto::AgentOrder>(message.order());
      end_rank_ = false;
    } else if (message.has_verdict()) {
      verdict_ = std::make_unique<proto::AgentVerdict>(message.verdict());
    } else if (message.end_rank()) {
      end_rank_ = true;
    }
  }
}

absl::Status Agent::RunRank() {
  const std::unique_ptr<proto::AgentOrder> order = std::move(order_);
  ASSIGN_OR_RETURN(const std::string self, SelfPath());
  RankEnvironment place;
  place.rank = static_cast<int>(description_.rank());
  place.size = static_cast<int>(order->size());
  place.local_rank = static_cast<int>(description_.local_rank());
  place.local_size = static_cast<int>(order->local_size());
  place.host = order->store_host().empty() ? PeerAddress(channel_.socket().fd()) : order->store_host();
  place.port = static_cast<uint16_t>(order->store_port());
  place.task = order->task();
  place.payload = order->payload();
  place.timeout = absl::Seconds(order->timeout_seconds());
  place.secret = StoreSecret(secret_, order->point()).Hex();
  ASSIGN_OR_RETURN(const std::vector<ChildExit> exits,
                   RunChildren({RankProcess(place, self)}, absl::InfiniteDuration(), nullptr, [this] {
                     Tick();
                     return end_rank_ || verdict_ != nullptr || !leader_.ok();
                   }));
  channel_.Send(ToMessage(exits[0])).IgnoreError();  // Receive returns the same error
  return absl::OkStatus();
}

}  // namespace lockstep
