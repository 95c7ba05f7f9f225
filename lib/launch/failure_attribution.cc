#include "lib/launch/failure_attribution.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/launch/rank_process.h"

namespace lockstep {
namespace {

// Returns true if the error may be a mere consequence of another rank's failure.
bool IsSecondary(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) || absl::IsCancelled(status);
}

absl::Status EndedAlone(const ChildExit& exit, const std::string& name) {
  if (exit.out_of_memory) {
    return absl::ResourceExhaustedError(absl::StrCat(name, " was killed by the kernel: out of memory"));
  }
  if (exit.signalled) {
    return absl::UnavailableError(
        absl::StrCat(name, " was killed by signal ", exit.code, " (", strsignal(exit.code), ")"));
  }
  return absl::UnavailableError(absl::StrCat(name, " ended with exit code ", exit.code, " and without a result"));
}

// Returns true if another process ended the rank: by a fatal signal, or by a stop signal to which the rank reacted with
// CancelledError. Any number of errors of other ranks may follow from that.
bool EndedByOthers(const ChildExit& exit) {
  const auto result = ParseResult(exit.result);
  return !exit.ended_by_parent && (exit.signalled || (result != nullptr && absl::IsCancelled(result->status())));
}

absl::Status EndedByOthersStatus(const ChildExit& exit, const std::string& name) {
  if (exit.signalled) {
    return EndedAlone(exit, name);
  }
  return absl::UnavailableError(
      absl::StrCat(name, " was ", ParseResult(exit.result)->status().message(), ", which another process sent"));
}

// Returns the error of the first of these ranks or, if ranks of several hosts have one, that of the first rank of each:
// the network between two hosts may be interrupted while others reach both, and then no rank has failed. `ranks` must
// not be empty.
absl::Status SecondaryStatus(const std::vector<size_t>& ranks, const std::vector<ChildExit>& exits,
                             const std::vector<std::string>& hosts) {
  std::vector<std::string> errors;
  std::set<std::string> named;
  for (const size_t rank : ranks) {
    if (named.insert(hosts.empty() ? "" : hosts[rank]).second) {
      errors.push_back(
          absl::StrCat(RankName(rank, exits.size(), hosts), ": ", ParseResult(exits[rank].result)->status().message()));
    }
  }
  return absl::Status(ParseResult(exits[ranks[0]].result)->status().code(),
                      absl::StrCat(errors.size() == 1 ? "" : "hosts lost each other: ", absl::StrJoin(errors, "; ")));
}

// Returns the status that names the failed rank. AttributeFailure adds the processes that do not end.
absl::Status AttributeToOneRank(const std::vector<ChildExit>& exits, absl::Duration timeout,
                                const std::vector<std::string>& hosts) {
  for (size_t rank = 0; rank < exits.size(); ++rank) {
    if (EndedByOthers(exits[rank])) {
      return EndedByOthersStatus(exits[rank], RankName(rank, exits.size(), hosts));
    }
  }
  std::vector<size_t> secondary;  // ranks
  absl::Status unresponsive;
  absl::Status without_result;
  absl::Status terminated;  // error of a rank that our own SIGTERM ended; returned only if no other rank failed
  for (size_t rank = 0; rank < exits.size(); ++rank) {
    const ChildExit& exit = exits[rank];
    const std::string name = RankName(rank, exits.size(), hosts);
    const auto result = ParseResult(exit.result);
    if (result != nullptr && !result->ok() && !IsSecondary(result->status())) {
      return absl::Status(result->status().code(), absl::StrCat(name, ": ", result->status().message()));
    }
    if (result != nullptr && absl::IsCancelled(result->status())) {
      terminated = absl::UnavailableError(absl::StrCat(name, ": ", result->status().message()));
    } else if (result != nullptr && !result->ok()) {
      secondary.push_back(rank);
    } else if (result == nullptr && (exit.signalled || exit.unkillable) && unresponsive.ok()) {
      unresponsive = absl::UnavailableError(
          absl::StrCat(name, " did not answer the other ranks for ", absl::FormatDuration(timeout), " and was ended"));
    } else if (result == nullptr && !exit.signalled && !exit.unkillable && without_result.ok()) {
      without_result = EndedAlone(exit, name);
    }
  }
  return !without_result.ok() ? without_result
         : !unresponsive.ok() ? unresponsive
         : !secondary.empty() ? SecondaryStatus(secondary, exits, hosts)
                              : terminated;
}

}  // namespace

std::string RankName(size_t rank, size_t size, const std::vector<std::string>& hosts) {
  return absl::StrCat("rank ", rank, " of ", size, hosts.empty() ? "" : absl::StrCat(" on ", hosts[rank]));
}

bool AnyStoppedByOthers(const std::vector<ChildExit>& exits) {
  return std::any_of(exits.begin(), exits.end(), [](const ChildExit& exit) {
    const bool by_signal = exit.signalled && (exit.code == SIGTERM || exit.code == SIGINT || exit.code == SIGHUP);
    return EndedByOthers(exit) && (by_signal || !exit.signalled);
  });
}

absl::Status AttributeFailure(const std::vector<ChildExit>& exits, absl::Duration timeout,
                              const std::vector<std::string>& hosts) {
  absl::Status status = AttributeToOneRank(exits, timeout, hosts);
  for (size_t rank = 0; rank < exits.size(); ++rank) {
    if (exits[rank].unkillable) {
      const std::string left =
          absl::StrCat(RankName(rank, exits.size(), hosts),
                       " was killed but has not ended: its process is blocked in the kernel or in a driver");
      status = status.ok() ? absl::UnavailableError(left)
                           : absl::Status(status.code(), absl::StrCat(status.message(), "; ", left));
    }
  }
  return status;
}

}  // namespace lockstep
