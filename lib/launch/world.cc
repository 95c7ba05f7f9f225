#include "lib/launch/world.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "lib/base/monotonic_time.h"
#include "lib/base/status_macros.h"
#include "lib/base/utf8.h"
#include "lib/launch/admission.h"
#include "lib/launch/agent_order.h"
#include "lib/launch/agreement.h"
#include "lib/launch/check_message.h"
#include "lib/launch/gather_members.h"
#include "lib/launch/launch_environment.h"
#include "lib/launch/world_point.h"

namespace lockstep {
namespace {

// Time that the leader waits for its agents to end. A launcher ends an agent that still runs after the leader's end.
constexpr absl::Duration kLeave = absl::Seconds(2);

// Interval between two checks while the leader waits for its agents to end.
constexpr absl::Duration kPollInterval = absl::Milliseconds(20);

}  // namespace

World::World(const LaunchPlace& place, const RunSecret& secret, const proto::ProcessDescription& leader,
             absl::Duration timeout)
    : place_(place), secret_(secret), timeout_(timeout), members_(place.size) {
  members_[0].description = leader;
}

absl::Status World::Gather(TcpSocket listener) {
  Admission admission(std::move(listener), secret_);
  absl::Status status = GatherMembers(admission, timeout_, members_);
  std::vector<AgentChannel*> channels;
  for (const Member& member : members_) {
    if (member.channel != nullptr) {
      channels.push_back(member.channel.get());
    }
  }
  heartbeat_ = std::make_unique<Heartbeat>(std::move(channels), timeout_);
  status.Update(heartbeat_->Start());
  return status;
}

std::vector<std::string> World::HostNames() const {
  std::vector<std::string> names;
  for (const Member& member : members_) {
    names.push_back(member.description.host_name());
  }
  return names;
}

std::vector<std::string> World::HostAddresses() const {
  std::vector<std::string> addresses;
  for (const Member& member : members_) {
    addresses.push_back(member.remote_address);
  }
  return addresses;
}

std::string World::OtherHosts() const {
  std::map<std::string, std::string> name_of;  // host names by address
  for (const Member& member : members_) {
    if (!member.remote_address.empty()) {
      name_of[member.remote_address] = member.description.host_name();
    }
  }
  return absl::StrJoin(name_of, ", ", [](std::string* out, const auto& entry) { absl::StrAppend(out, entry.second); });
}

uint32_t World::RanksHere(uint32_t ranks) const {
  const auto end = members_.begin() + std::min<size_t>(ranks, members_.size());
  return static_cast<uint32_t>(
      std::count_if(members_.begin(), end, [](const Member& member) { return member.remote_address.empty(); }));
}

std::string World::Describe() const {
  const std::string others = OtherHosts();
  return absl::StrCat(LauncherName(place_.launcher), ": ", size(), size() == 1 ? " rank on " : " ranks on ",
                      members_[0].description.host_name(), others.empty() ? "" : ", ", others);
}

proto::Launch World::ToProto() const {
  proto::Launch launch;
  launch.set_launcher(LauncherName(place_.launcher));
  launch.set_world(static_cast<uint32_t>(size()));
  for (const std::string& name : HostNames()) {
    launch.add_host(name);
  }
  return launch;
}

absl::Status World::CheckRanks(uint32_t ranks) const {
  if (ranks > size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--ranks needs ", ranks, " ranks, ", LauncherName(place_.launcher), " started ", size(),
                     "; give at most as many, start more, or give --launcher=none to start them on this host"));
  }
  return absl::OkStatus();
}

absl::Status World::CheckRanksOnGpus(uint32_t ranks) const {
  RETURN_IF_ERROR(CheckRanks(ranks));
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    const proto::ProcessDescription& description = members_[rank].description;
    if (description.local_rank() >= description.gpus()) {
      return absl::UnavailableError(
          absl::StrCat("rank ", rank, " on ", description.host_name(), " has LOCAL_RANK ", description.local_rank(),
                       " and needs the GPU of that number, found ", description.gpus(),
                       " GPUs there; start at most one rank for each GPU of a host, or give --device=cpu"));
    }
  }
  return absl::OkStatus();
}

absl::Status World::CheckDataset(const std::string& content_sha256) const {
  for (size_t rank = 1; rank < members_.size(); ++rank) {
    RETURN_IF_ERROR(CheckSameDataset(members_[0].description, content_sha256, members_[rank].description));
  }
  return absl::OkStatus();
}

StoreEndpoint World::NextStore() { return {StoreSecret(secret_, ++point_), StoreAddress(members_)}; }

absl::StatusOr<std::vector<ChildExit>> World::RunRanks(const RankEnvironment& place) {
  WorldPoint point(members_, point_, timeout_);
  absl::StatusOr<std::vector<ChildExit>> exits = point.Run(place);
  stop_signal_ = point.stop_signal();
  return exits;
}

void World::Dismiss(int exit_code, const std::string& message) {
  proto::AgentMessage verdict;
  verdict.mutable_verdict()->set_exit_code(exit_code);
  verdict.mutable_verdict()->set_message(std::string(FirstBytes(message, kMaxVerdictBytes)));
  const MonotonicTime deadline = MonotonicTime::Now() + kLeave;
  for (const Member& member : members_) {
    if (member.channel != nullptr && member.lost.ok()) {
      member.channel->Send(verdict).IgnoreError();  // a lost agent needs no verdict
    }
  }
  for (const Member& member : members_) {
    while (member.channel != nullptr && member.lost.ok() && member.channel->Receive().ok() &&
           MonotonicTime::Now() < deadline) {
      proto::AgentMessage ignored;
      while (member.channel->Take(ignored)) {
      }
      absl::SleepFor(kPollInterval);
    }
  }
}

}  // namespace lockstep
