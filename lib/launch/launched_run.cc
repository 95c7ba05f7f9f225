#include "lib/launch/launched_run.h"

#include <net/if.h>

#include <cstdlib>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/exit_status.h"
#include "lib/base/log_line.h"
#include "lib/base/run_tool.h"
#include "lib/base/status_macros.h"
#include "lib/launch/agent.h"
#include "lib/launch/error_file.h"
#include "lib/launch/find_secret.h"
#include "lib/launch/launch_environment.h"
#include "lib/launch/process_description.h"
#include "lib/launch/rendezvous.h"
#include "lib/launch/run_secret.h"

namespace lockstep {
namespace {

// Place of this process, its rendezvous with the other processes, and their shared secret.
struct Rendezvous {
  LaunchPlace place;
  RendezvousEndpoint endpoint;
  std::optional<RunSecret> secret;
};

const char* Variable(const char* name) { return std::getenv(name); }

// Sets the network device for this process and its ranks, which inherit the variables. NCCL matches a name exactly only
// after '='.
absl::Status ChooseInterface(const std::string& interface) {
  if (interface.empty()) {
    return absl::OkStatus();
  }
  if (if_nametoindex(interface.c_str()) == 0) {
    return absl::InvalidArgumentError(absl::StrCat("--interface=", interface, ": ", HostName(),
                                                   " has no network device of that name; ip link lists its devices"));
  }
  setenv("GLOO_SOCKET_IFNAME", interface.c_str(), 1);
  setenv("NCCL_SOCKET_IFNAME", absl::StrCat("=", interface).c_str(), 1);
  return absl::OkStatus();
}

int Fail(const LaunchedRunOptions& options, const absl::Status& status) {
  WriteErrorFile(status.message());
  return ExitStatus(options.tool, status);
}

int Lead(const LaunchedRunOptions& options, const Rendezvous& rendezvous, const proto::ProcessDescription& self,
         const std::function<absl::Status(World*)>& lead) {
  absl::StatusOr<OpenRendezvous> open =
      StartRendezvous(rendezvous.place, rendezvous.endpoint, rendezvous.secret, options.interface, options.timeout);
  if (!open.ok()) {
    return Fail(options, open.status());
  }
  World world(rendezvous.place, open->secret, self, options.timeout);
  const absl::Status status = CatchOutOfMemory([&] {
    RETURN_IF_ERROR(world.Gather(std::move(open->listener)));
    LogLine(absl::StrCat(options.tool, ": ", world.Describe()));
    return lead(&world);
  });
  int code = status.ok() ? 0 : Fail(options, status);
  if (absl::IsCancelled(status) && world.stop_signal() != 0) {
    code = 128 + world.stop_signal();  // the signal may have gone to an agent only
  }
  world.Dismiss(code, std::string(status.message()));
  return code;
}

int Serve(const LaunchedRunOptions& options, const Rendezvous& rendezvous, proto::ProcessDescription self) {
  absl::StatusOr<proto::AgentVerdict> verdict = absl::UnavailableError("");
  const absl::Status status = CatchOutOfMemory([&] {
    if (options.dataset != "-") {  // the leader refuses "-"
      ASSIGN_OR_RETURN(*self.mutable_dataset(), DescribeDataset(options.dataset));
    }
    ASSIGN_OR_RETURN(JoinedRendezvous joined,
                     JoinRendezvous(rendezvous.place, rendezvous.endpoint, rendezvous.secret, options.timeout));
    verdict = Agent(std::move(joined.leader), joined.secret, self, options.timeout).Run();
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

absl::StatusOr<Rendezvous> Prepare(const LaunchedRunOptions& options) {
  Rendezvous rendezvous;
  ASSIGN_OR_RETURN(rendezvous.place, ReadLaunchPlace(options.launcher, Variable));
  if (rendezvous.place.launcher == Launcher::kNone &&
      (!options.rendezvous.master_addr.empty() || options.rendezvous.master_port != 0)) {
    return absl::InvalidArgumentError(
        "--master_addr and --master_port apply to ranks that a launcher starts, and no launcher's variables are set; "
        "leave them out");
  }
  RETURN_IF_ERROR(ChooseInterface(options.interface));
  if (rendezvous.place.launcher != Launcher::kNone) {
    ASSIGN_OR_RETURN(rendezvous.endpoint, FindRendezvousEndpoint(rendezvous.place, options.rendezvous, Variable));
    ASSIGN_OR_RETURN(rendezvous.secret, FindSecret(rendezvous.place, rendezvous.endpoint, Variable));
  }
  return rendezvous;
}

}  // namespace

int RunLaunched(const LaunchedRunOptions& options, const std::function<absl::Status(World*)>& lead) {
  const absl::StatusOr<Rendezvous> rendezvous = Prepare(options);
  if (!rendezvous.ok()) {
    return Fail(options, rendezvous.status());
  }
  if (rendezvous->place.launcher == Launcher::kNone) {
    const absl::Status status = CatchOutOfMemory([&] { return lead(nullptr); });
    return status.ok() ? 0 : Fail(options, status);
  }
  const absl::StatusOr<proto::ProcessDescription> self = DescribeProcess(rendezvous->place, options.ask_for_gpus);
  if (!self.ok()) {
    return Fail(options, self.status());
  }
  return rendezvous->place.rank == 0 ? Lead(options, *rendezvous, *self, lead) : Serve(options, *rendezvous, *self);
}

}  // namespace lockstep
