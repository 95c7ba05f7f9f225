#include "lib/launch/launched_run.h"

#include <net/if.h>

#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/exit_status.h"
#include "lib/base/log_line.h"
#include "lib/base/run_tool.h"
#include "lib/base/status_macros.h"
#include "lib/launch/agent.h"
#include "lib/launch/error_file.h"
#include "lib/launch/launch_environment.h"
#include "lib/launch/meeting.h"
#include "lib/launch/process_hello.h"

namespace lockstep {
namespace {

const char* Variable(const char* name) { return std::getenv(name); }

// The ranks inherit it. NCCL's own variable takes a name exactly behind '='.
absl::Status ChooseInterface(const std::string& interface) {
  if (interface.empty()) {
    return absl::OkStatus();
  }
  if (if_nametoindex(interface.c_str()) == 0) {
    return absl::InvalidArgumentError(absl::StrCat("--interface=", interface, ": expected a network device of ",
                                                   HostName(), ", found none of that name; ip link lists them"));
  }
  setenv("GLOO_SOCKET_IFNAME", interface.c_str(), 1);
  setenv("NCCL_SOCKET_IFNAME", absl::StrCat("=", interface).c_str(), 1);
  return absl::OkStatus();
}

int Fail(const LaunchedRunOptions& options, const absl::Status& status) {
  WriteErrorFile(status.message());
  return ExitStatus(options.tool, status);
}

int Lead(const LaunchedRunOptions& options, const LaunchPlace& place, const MeetingPoint& point,
         const proto::AgentHello& self, const std::function<absl::Status(World*)>& lead) {
  World world(place, self, options.timeout);
  const absl::Status status = CatchMemoryEnd([&] {
    ASSIGN_OR_RETURN(const TcpSocket listener, OpenMeeting(point, place.run, options.timeout));
    RETURN_IF_ERROR(world.Gather(listener));
    LogLine(absl::StrCat(options.tool, ": ", world.Describe()));
    return lead(&world);
  });
  int code = status.ok() ? 0 : Fail(options, status);
  if (absl::IsCancelled(status) && world.stop_signal() != 0) {
    code = 128 + world.stop_signal();  // an agent was sent it, not this process
  }
  world.Dismiss(code, std::string(status.message()));
  return code;
}

int Serve(const LaunchedRunOptions& options, const LaunchPlace& place, const MeetingPoint& point,
          proto::AgentHello self) {
  absl::StatusOr<proto::AgentVerdict> verdict = absl::UnavailableError("");
  const absl::Status status = CatchMemoryEnd([&] {
    if (options.dataset != "-") {  // which the leader refuses
      ASSIGN_OR_RETURN(*self.mutable_dataset(), DescribeDataset(options.dataset));
    }
    ASSIGN_OR_RETURN(TcpSocket leader, JoinMeeting(point, place.run, options.timeout));
    verdict = Agent(std::move(leader), self, options.timeout).Run();
    return verdict.status();
  });
  if (!status.ok()) {
    return Fail(options, status);
  }
  if (verdict->exit_code() != 0) {
    WriteErrorFile(absl::StrCat("ended by rank 0: ", verdict->message()));
  }
  return verdict->exit_code();
}

absl::StatusOr<MeetingPoint> Prepare(const LaunchedRunOptions& options, LaunchPlace& place) {
  ASSIGN_OR_RETURN(place, ReadLaunchPlace(options.launcher, Variable));
  RETURN_IF_ERROR(ChooseInterface(options.interface));
  return place.launcher == Launcher::kNone ? MeetingPoint() : FindMeetingPoint(place, options.meeting, Variable);
}

}  // namespace

int RunLaunched(const LaunchedRunOptions& options, const std::function<absl::Status(World*)>& lead) {
  LaunchPlace place;
  const absl::StatusOr<MeetingPoint> point = Prepare(options, place);
  if (!point.ok()) {
    return Fail(options, point.status());
  }
  if (place.launcher == Launcher::kNone) {
    const absl::Status status = CatchMemoryEnd([&] { return lead(nullptr); });
    return status.ok() ? 0 : Fail(options, status);
  }
  const absl::StatusOr<proto::AgentHello> self = DescribeProcess(place, options.ask_for_gpus);
  if (!self.ok()) {
    return Fail(options, self.status());
  }
  return place.rank == 0 ? Lead(options, place, *point, *self, lead) : Serve(options, place, *point, *self);
}

}  // namespace lockstep
