#include "lib/launch/launch.h"

#include <c10/util/Logging.h>

#include <csignal>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/exit_status.h"
#include "lib/base/run_tool.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/base/subprocess.h"
#include "lib/device/torch_status.h"
#include "lib/launch/failure_attribution.h"
#include "lib/launch/loopback.h"
#include "lib/launch/rank_environment.h"
#include "lib/launch/rank_process.h"
#include "lib/launch/run_secret.h"
#include "lib/launch/store_server.h"
#include "lib/launch/virtual_hosts.h"

namespace lockstep {
namespace {

// Turns off the warnings of LibTorch's process groups and reducer, because their errors are returned as a status.
// Setting TORCH_CPP_LOG_LEVEL, LibTorch's own variable, keeps the warnings.
void SilenceLibTorchWarnings() {
  if (std::getenv("TORCH_CPP_LOG_LEVEL") == nullptr) {
    FLAGS_caffe2_log_level = c10::GLOG_ERROR;
  }
}

absl::StatusOr<std::string> RunTask(const std::map<std::string, RankTask>& tasks) {
  const EnvironmentLookup lookup = [](const char* name) { return std::getenv(name); };
  ASSIGN_OR_RETURN(const RankEnvironment place, ReadRankEnvironment(lookup));
  EraseSecretFromEnvironment();
  RETURN_IF_ERROR(JoinVirtualHost(lookup, place.rank, place.size));
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
  ASSIGN_OR_RETURN(store_options.secret, RunSecret::FromHex(place.secret));
  ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, Store::Open(store_options));
  context.store = store.get();
  absl::StatusOr<std::string> result = absl::InternalError("the task did not return");
  RETURN_IF_ERROR(CatchTorchErrors(place.task, [&] {
    result = found->second(context);
    return result.status();
  }));
  return result;
}

// Returns the address and the secret of a point's store. Without a world, all ranks are on this host and use its
// loopback device.
absl::StatusOr<StoreEndpoint> EndpointOfStore(World* world) {
  if (world != nullptr) {
    return world->NextStore();
  }
  ASSIGN_OR_RETURN(const RunSecret secret, RunSecret::Random());
  return StoreEndpoint{secret, kLoopback};
}

// Runs all ranks as children of this process.
absl::StatusOr<std::vector<ChildExit>> RunRanksHere(RankEnvironment place) {
  ASSIGN_OR_RETURN(const std::string self, SelfPath());
  std::vector<ChildOptions> children;
  for (place.rank = 0; place.rank < place.size; ++place.rank) {
    place.local_rank = place.rank;
    children.push_back(RankProcess(place, self));
  }
  // The ranks end together, after a barrier.
  return RunChildren(children, absl::InfiniteDuration(), nullptr, nullptr, place.timeout);
}

}  // namespace

absl::StatusOr<std::vector<std::string>> LaunchRanks(const LaunchOptions& options) {
  RETURN_IF_ERROR(CheckLoopback());
  ASSIGN_OR_RETURN(const StoreEndpoint store_endpoint, EndpointOfStore(options.world));
  StoreServerOptions store_options;
  store_options.address = store_endpoint.address;
  store_options.clients = options.ranks;
  ASSIGN_OR_RETURN(const std::unique_ptr<StoreServer> store, StoreServer::Start(store_endpoint.secret, store_options));
  RankEnvironment place;
  place.size = options.ranks;
  place.local_size = options.ranks;
  place.host = kLoopback;
  place.port = store->port();
  place.secret = store_endpoint.secret.Hex();
  place.task = options.task;
  place.payload = options.payload;
  place.timeout = options.timeout;
  ASSIGN_OR_RETURN(const std::vector<ChildExit> exits,
                   options.world != nullptr ? options.world->RunRanks(place) : RunRanksHere(place));
  RETURN_IF_ERROR(CheckNotStopped());
  RETURN_IF_ERROR(AttributeFailure(exits, options.timeout,
                                   options.world != nullptr ? options.world->HostNames() : std::vector<std::string>()));
  std::vector<std::string> values;
  for (const ChildExit& exit : exits) {
    values.push_back(**ParseResult(exit.result));
  }
  return values;
}

bool IsRank() { return std::getenv(kRankTaskVariable) != nullptr; }

int RunRank(const std::map<std::string, RankTask>& tasks) {
  std::signal(SIGPIPE, SIG_IGN);
  // A stop signal only sets a flag, so that a rank that waits for a silent one can still report this error when its
  // launcher ends it.
  InstallStopSignals();
  SilenceLibTorchWarnings();
  absl::StatusOr<std::string> result = absl::InternalError("the task did not return");
  const absl::Status status = CatchOutOfMemory([&] {
    result = RunTask(tasks);
    return result.status();
  });
  if (!status.ok()) {
    EndRank(status);
  }
  if (const absl::Status written = WriteResult(FrameResult(result)); !written.ok()) {  // the launcher cannot receive it
    std::_Exit(ExitStatus("rank", written));
  }
  return 0;
}

void EndRank(const absl::Status& status) {
  static auto* const first = new std::mutex;  // never unlocked: a second thread waits for the end of the process
  first->lock();
  if (!WriteResult(FrameResult(status)).ok()) {  // the launcher cannot receive it
    ExitStatus("rank", status);
  }
  // Skips the destructors of static objects, because threads of a broken communicator may still use these objects.
  std::_Exit(static_cast<int>(ToExitCode(status)));
}

}  // namespace lockstep
