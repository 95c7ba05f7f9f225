#include "lib/launch/world_point.h"

#include <algorithm>
#include <csignal>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/launch/agent_order.h"
#include "lib/launch/failure_attribution.h"
#include "lib/launch/rank_process.h"

namespace lockstep {
namespace {

constexpr absl::Duration kPollInterval = absl::Milliseconds(20);  // same as in subprocess.cc

// Time within which a launcher that stops a run signals all its processes, agents and ranks.
constexpr absl::Duration kStopSpread = absl::Seconds(1);

}  // namespace

absl::StatusOr<std::vector<ChildExit>> WorldPoint::Run(const RankEnvironment& place) {
  ASSIGN_OR_RETURN(const std::string self, SelfPath());
  exits_.resize(place.size);
  ended_.resize(place.size);
  ReceiveMessages();  // events since the last point
  RETURN_IF_ERROR(first_error_);
  SendOrders(place);
  ASSIGN_OR_RETURN(
      const std::vector<ChildExit> own_exit,
      RunChildren({RankProcess(RankZeroEnvironment(place, members_), self)}, absl::InfiniteDuration(), nullptr, [this] {
        ReceiveMessages();
        return MustEnd();
      }));
  RecordExit(0, own_exit[0]);
  for (ReceiveMessages(); !AllEnded(); ReceiveMessages()) {
    MustEnd();
    absl::SleepFor(kPollInterval);
  }
  for (const MonotonicTime end = MonotonicTime::Now() + kStopSpread;
       first_error_.ok() && AnyStoppedByOthers(exits_) && MonotonicTime::Now() < end; ReceiveMessages()) {
    absl::SleepFor(kPollInterval);
  }
  RETURN_IF_ERROR(first_error_);
  return exits_;
}

void WorldPoint::SendOrders(const RankEnvironment& place) {
  for (size_t rank = 1; rank < exits_.size(); ++rank) {
    proto::AgentMessage message;
    *message.mutable_order() = OrderFor(members_[rank], place, point_, members_);
    const absl::Status sent = members_[rank].channel->Send(message);
    if (!sent.ok()) {
      MarkLost(rank, sent.message());
    }
  }
}

// Handles all messages and losses. A loss counts before a stop that is received together with it: when a process dies,
// its launcher stops the others, and these report the stop.
void WorldPoint::ReceiveMessages() {
  int stop = StopRequested() ? StopSignal() : 0;  // read first, so that the channels already hold its cause
  for (size_t rank = 1; rank < members_.size(); ++rank) {
    Member& member = members_[rank];
    if (!member.lost.ok()) {
      MarkLost(rank, member.lost.message());
      continue;
    }
    const absl::Status received = member.channel->Receive();
    const int reported = TakeMessages(rank);
    stop = reported != 0 ? reported : stop;
    if (!received.ok() && reported == 0) {  // a stopped agent may end; the next call reports the loss
      MarkLost(rank, received.message());
    } else if (rank < ended_.size() && !ended_[rank] && shutdown_deadline_.MustGiveUp(MonotonicTime::Now())) {
      MarkLost(rank, "it did not report how its rank ended");
    }
  }
  if (stop != 0) {
    Stop(stop);
  }
}

int WorldPoint::TakeMessages(size_t rank) {
  int stop = 0;
  proto::AgentMessage message;
  while (members_[rank].channel->Take(message)) {
    if (message.stop_signal() != 0) {
      stop = message.stop_signal();
    } else if (message.has_exit() && rank < ended_.size()) {
      ChildExit exit;
      exit.index = static_cast<int>(rank);
      exit.signalled = message.exit().signalled();
      exit.code = message.exit().code();
      exit.ended_by_parent = message.exit().ended_by_parent();
      exit.out_of_memory = message.exit().out_of_memory();
      exit.unkillable = message.exit().unkillable();
      exit.result = message.exit().result();
      RecordExit(rank, exit);
    }
  }
  return stop;
}

void WorldPoint::RecordExit(size_t rank, const ChildExit& exit) {
  exits_[rank] = exit;
  ended_[rank] = true;
  if (exit.signalled || exit.code != 0 || exit.unkillable) {
    shutdown_deadline_.RankFailed(MonotonicTime::Now());
  } else {
    shutdown_deadline_.RankFinished(MonotonicTime::Now());
  }
}

void WorldPoint::MarkLost(size_t rank, absl::string_view why) {
  Member& member = members_[rank];
  if (member.lost.ok()) {
    member.lost = absl::UnavailableError(why);
  }
  if (rank < ended_.size()) {
    ended_[rank] = true;
  }
  shutdown_deadline_.EndNow(MonotonicTime::Now());
  if (first_error_.ok()) {
    first_error_ = absl::UnavailableError(
        absl::StrCat("rank ", rank, " of ", members_.size(), " on ", member.description.host_name(),
                     ": the process that the launcher started there is lost: ", member.lost.message()));
  }
}

void WorldPoint::Stop(int signal_number) {
  shutdown_deadline_.EndNow(MonotonicTime::Now());
  if (first_error_.ok()) {
    stop_signal_ = signal_number;
    first_error_ = absl::CancelledError(absl::StrCat("stopped by ", StopSignalName(signal_number)));
  }
}

bool WorldPoint::MustEnd() {
  if (!shutdown_deadline_.MustEnd(MonotonicTime::Now())) {
    return false;
  }
  proto::AgentMessage message;
  message.set_end_rank(true);
  for (size_t rank = 1; rank < ended_.size() && !end_requested_; ++rank) {
    if (!ended_[rank]) {
      members_[rank].channel->Send(message).IgnoreError();  // ReceiveMessages finds the same error
    }
  }
  end_requested_ = true;
  return true;
}

bool WorldPoint::AllEnded() const {
  return std::all_of(ended_.begin(), ended_.end(), [](bool ended) { return ended; });
}

}  // namespace lockstep
