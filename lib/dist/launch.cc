#include "lib/dist/launch.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/exit_status.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/device/torch_status.h"
#include "lib/dist/loopback.h"
#include "lib/dist/rank_environment.h"

namespace lockstep {
namespace {

// What a rank writes for its launcher: its status code in decimal, a line end, then the message or the value.
std::string FrameResult(const absl::StatusOr<std::string>& result) {
  return absl::StrCat(result.status().raw_code(), "\n", result.ok() ? *result : std::string(result.status().message()));
}

// Null when nothing whole was written: the rank was ended before it could.
std::unique_ptr<absl::StatusOr<std::string>> ParseResult(const std::string& frame) {
  const size_t line_end = frame.find('\n');
  int code = 0;
  if (line_end == std::string::npos || !absl::SimpleAtoi(frame.substr(0, line_end), &code)) {
    return nullptr;
  }
  const std::string text = frame.substr(line_end + 1);
  if (code == 0) {
    return std::make_unique<absl::StatusOr<std::string>>(text);
  }
  return std::make_unique<absl::StatusOr<std::string>>(absl::Status(static_cast<absl::StatusCode>(code), text));
}

// A failure that only tells of another rank's.
bool IsComplaint(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) || absl::IsCancelled(status);
}

std::string Name(size_t rank, size_t size) { return absl::StrCat("rank ", rank, " of ", size); }

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

// Whether somebody else ended the rank: by a signal, or by one that it answers with Cancelled. The others' complaints
// follow from that, whatever their number.
bool EndedByOthers(const ChildExit& exit) {
  const auto result = ParseResult(exit.result);
  return !exit.ended_by_us && (exit.signalled || (result != nullptr && absl::IsCancelled(result->status())));
}

absl::Status EndedByOthersStatus(const ChildExit& exit, const std::string& name) {
  if (exit.signalled) {
    return EndedAlone(exit, name);
  }
  return absl::UnavailableError(
      absl::StrCat(name, " was ", ParseResult(exit.result)->status().message(), ", which another process sent"));
}

ChildOptions RankProcess(const LaunchOptions& options, const std::string& self, int rank, uint16_t port) {
  ChildOptions child;
  child.argv = {self, absl::StrCat("--rank=", rank)};  // for those who read ps: RunRank takes its place from below
  RankEnvironment place;
  place.rank = rank;
  place.size = options.ranks;
  place.local_rank = rank;
  place.host = kLoopback;
  place.port = port;
  place.task = options.task;
  place.payload = options.payload;
  place.timeout = options.timeout;
  for (auto& variable : ToVariables(place)) {
    child.environment.push_back(variable);
  }
  return child;
}

absl::StatusOr<std::string> RunTask(const std::map<std::string, RankTask>& tasks) {
  ASSIGN_OR_RETURN(const RankEnvironment place,
                   ReadRankEnvironment([](const char* name) { return std::getenv(name); }));
  const auto found = tasks.find(place.task);
  if (found == tasks.end()) {
    return absl::InternalError(absl::StrCat("a rank was started for task '", place.task, "', which it does not know"));
  }
  RankContext context;
  context.rank = place.rank;
  context.size = place.size;
  context.local_rank = place.local_rank;
  context.timeout = place.timeout;
  context.payload = place.payload;
  StoreOptions store_options;
  store_options.host = place.host;
  store_options.port = place.port;
  store_options.timeout = place.timeout;
  ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, Store::Open(store_options));
  context.store = store.get();
  absl::StatusOr<std::string> result = absl::InternalError("the task did not return");
  RETURN_IF_ERROR(CatchTorchErrors(place.task, [&] {
    result = found->second(context);
    return result.status();
  }));
  return result;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> LaunchRanks(const LaunchOptions& options) {
  ASSIGN_OR_RETURN(const std::string self, SelfPath());
  RETURN_IF_ERROR(CheckLoopback());
  StoreOptions store_options;
  store_options.host = kLoopback;
  store_options.is_host = true;
  store_options.timeout = options.timeout;
  ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, Store::Open(store_options));
  std::vector<ChildOptions> children;
  for (int rank = 0; rank < options.ranks; ++rank) {
    children.push_back(RankProcess(options, self, rank, store->port()));
  }
  ASSIGN_OR_RETURN(const std::vector<ChildExit> exits, RunChildren(children, absl::InfiniteDuration()));
  RETURN_IF_ERROR(CheckNotStopped());
  RETURN_IF_ERROR(Blame(exits, options.timeout));
  std::vector<std::string> values;
  for (const ChildExit& exit : exits) {
    values.push_back(**ParseResult(exit.result));
  }
  return values;
}

bool IsRank() { return std::getenv(kRankTaskVariable) != nullptr; }

int RunRank(const std::map<std::string, RankTask>& tasks) {
  std::signal(SIGPIPE, SIG_IGN);
  // A stop only sets a flag, so that a rank that waits for a silent one lives to complain when its launcher ends it.
  InstallStopSignals();
  const absl::StatusOr<std::string> result = RunTask(tasks);
  const absl::Status written = WriteResult(FrameResult(result));
  const absl::Status& status = result.ok() ? written : result.status();
  if (!written.ok()) {  // no launcher hears it
    ExitStatus("rank", status);
  }
  if (!status.ok()) {
    // Without the destructors of static objects: threads of a broken communicator may still hold what they need.
    std::_Exit(static_cast<int>(ToExitCode(status)));
  }
  return 0;
}

void EndRank(const absl::Status& status) {
  if (!WriteResult(FrameResult(status)).ok()) {
    ExitStatus("rank", status);
  }
  std::_Exit(static_cast<int>(ToExitCode(status)));
}

absl::Status Blame(const std::vector<ChildExit>& exits, absl::Duration timeout) {
  for (size_t rank = 0; rank < exits.size(); ++rank) {
    if (EndedByOthers(exits[rank])) {
      return EndedByOthersStatus(exits[rank], Name(rank, exits.size()));
    }
  }
  absl::Status complaint;
  absl::Status silent;
  absl::Status odd;
  absl::Status obeyed;  // our own SIGTERM: to blame only when nobody else is
  for (size_t rank = 0; rank < exits.size(); ++rank) {
    const ChildExit& exit = exits[rank];
    const std::string name = Name(rank, exits.size());
    const auto result = ParseResult(exit.result);
    if (result != nullptr && !result->ok() && !IsComplaint(result->status())) {
      return absl::Status(result->status().code(), absl::StrCat(name, ": ", result->status().message()));
    }
    if (result != nullptr && absl::IsCancelled(result->status())) {
      obeyed = absl::UnavailableError(absl::StrCat(name, ": ", result->status().message()));
    } else if (result != nullptr && !result->ok() && complaint.ok()) {
      complaint = absl::Status(result->status().code(), absl::StrCat(name, ": ", result->status().message()));
    } else if (result == nullptr && exit.signalled && silent.ok()) {
      silent = absl::UnavailableError(
          absl::StrCat(name, " did not answer the others for ", absl::FormatDuration(timeout), " and was ended"));
    } else if (result == nullptr && !exit.signalled && odd.ok()) {
      odd = EndedAlone(exit, name);
    }
  }
  return !odd.ok() ? odd : !silent.ok() ? silent : !complaint.ok() ? complaint : obeyed;
}

}  // namespace lockstep
