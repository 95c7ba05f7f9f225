#include "lib/launch/gather_members.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/launch/agreement.h"
#include "lib/launch/find_secret.h"
#include "lib/launch/tcp_address.h"

namespace lockstep {
namespace {

constexpr absl::Duration kPollInterval = absl::Milliseconds(20);

// Returns the address of the other end's host, or an empty text if it is this host: a process of this host connects
// from the same address to which it connects.
std::string RemoteAddress(const TcpSocket& socket) {
  const std::string peer = PeerAddress(socket.fd());
  return IsLoopback(peer) || peer == LocalAddress(socket.fd()) ? "" : peer;
}

bool HasCome(const Member& member) { return member.channel != nullptr; }

absl::Status Add(std::unique_ptr<AgentChannel> channel, const proto::ProcessDescription& description,
                 std::vector<Member>& members) {
  const proto::ProcessDescription& leader = members[0].description;
  if (description.size() != leader.size() || description.rank() == 0 || description.rank() >= leader.size()) {
    return absl::InvalidArgumentError(absl::StrCat("expected ranks 1 to ", leader.size() - 1, " of ", leader.size(),
                                                   ", found ", MemberName(description), ", which reports a run of ",
                                                   description.size(), " ranks; start all with one command"));
  }
  Member& member = members[description.rank()];
  if (HasCome(member)) {
    return absl::InvalidArgumentError(absl::StrCat("expected one process for each rank, found ",
                                                   MemberName(description), " and ", MemberName(member.description),
                                                   "; start each with its own RANK"));
  }
  member.remote_address = RemoteAddress(channel->socket());
  member.channel = std::move(channel);
  member.description = description;
  return absl::OkStatus();
}

// Returns InvalidArgumentError if two ranks of a host have the same LOCAL_RANK, by which a rank finds its GPU. Two
// agents of torchrun on one host both count from 0.
absl::Status CheckLocalRanks(const std::vector<Member>& members) {
  std::map<std::pair<std::string, uint32_t>, const Member*> seen;
  for (const Member& member : members) {
    const auto [other, added] = seen.insert({{member.remote_address, member.description.local_rank()}, &member});
    if (!added) {
      const auto ranks = std::count_if(members.begin(), members.end(),
                                       [&](const Member& one) { return one.remote_address == member.remote_address; });
      return absl::InvalidArgumentError(
          absl::StrCat(MemberName(other->second->description), " and ", MemberName(member.description),
                       " both have LOCAL_RANK ", member.description.local_rank(),
                       " of their host, as if by two agents of torchrun; expected one agent per host: start it with "
                       "--nproc-per-node=",
                       ranks, ", or set a different LOCAL_RANK in each process"));
    }
  }
  return absl::OkStatus();
}

std::string Missing(const std::vector<Member>& members) {
  std::vector<size_t> ranks;
  for (size_t rank = 1; rank < members.size(); ++rank) {
    if (!HasCome(members[rank])) {
      ranks.push_back(rank);
    }
  }
  return absl::StrJoin(ranks, ", ");
}

}  // namespace

absl::Status GatherMembers(Admission& admission, absl::Duration timeout, std::vector<Member>& members) {
  const MonotonicTime deadline = MonotonicTime::Now() + timeout;
  std::vector<std::unique_ptr<AgentChannel>> arrived;  // admitted connections without a description yet
  absl::Status unlike;  // error of the first process that differs; the others are still admitted to learn of it
  for (std::string missing = Missing(members); !missing.empty(); missing = Missing(members)) {
    RETURN_IF_ERROR(CheckNotStopped());
    if (MonotonicTime::Now() > deadline) {
      RETURN_IF_ERROR(unlike);
      return absl::UnavailableError(
          absl::StrCat("expected all of ", members.size(), " ranks at ", members[0].description.host_name(), ":",
                       admission.port(), " within ", absl::FormatDuration(timeout), ", rank ", missing,
                       " did not connect", admission.DescribeRefused(),
                       "; start as many processes as the launcher announces, on hosts that can reach that ",
                       "port, all with the same ", kTokenVariable, " if it is set"));
    }
    ASSIGN_OR_RETURN(std::vector<SecureSocket> proven, admission.Wait(kPollInterval));
    for (SecureSocket& one : proven) {
      arrived.push_back(std::make_unique<AgentChannel>(std::move(one), timeout, kMaxDescriptionBytes));
    }
    for (std::unique_ptr<AgentChannel>& one : arrived) {
      proto::AgentMessage message;
      const absl::Status received = one->Receive();
      if (absl::IsDataLoss(received)) {
        unlike.Update(absl::UnavailableError(absl::StrCat("a process of this run, at ", PeerAddress(one->socket().fd()),
                                                          ", cannot take part: ", received.message())));
      }
      if (!received.ok()) {
        one = nullptr;
      } else if (one->Take(message)) {
        std::unique_ptr<AgentChannel> channel = std::move(one);
        if (message.has_description()) {
          channel->set_max_bytes(kMaxAgentMessageBytes);
          RETURN_IF_ERROR(Add(std::move(channel), message.description(), members));
          unlike.Update(CheckAgreement(members[0].description, message.description()));
        }
      }
    }
    arrived.erase(std::remove(arrived.begin(), arrived.end(), nullptr), arrived.end());
  }
  RETURN_IF_ERROR(unlike);
  return CheckLocalRanks(members);
}

}  // namespace lockstep
