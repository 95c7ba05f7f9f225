#include "lib/launch/torchrun_store.h"

#include <c10/util/Logging.h>

#include <csignal>
#include <cstdlib>
#include <limits>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "lib/base/exit_status.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/base/subprocess.h"
#include "lib/launch/environment_reader.h"
#include "lib/launch/peer_status.h"
#include "lib/launch/rank_process.h"

namespace lockstep {
namespace {

// Variable with the child's action, "publish" or "read". It makes a process such a child.
constexpr char kActionVariable[] = "LOCKSTEP_TORCHRUN_STORE";
constexpr char kHostVariable[] = "LOCKSTEP_TORCHRUN_STORE_HOST";
constexpr char kPortVariable[] = "LOCKSTEP_TORCHRUN_STORE_PORT";
constexpr char kKeyVariable[] = "LOCKSTEP_TORCHRUN_STORE_KEY";
constexpr char kValueVariable[] = "LOCKSTEP_TORCHRUN_STORE_VALUE";
constexpr char kSecondsVariable[] = "LOCKSTEP_TORCHRUN_STORE_SECONDS";
constexpr char kPublish[] = "publish";
constexpr char kRead[] = "read";

// Limit on the child's result. A port and a secret have 70 bytes, but everybody who can reach the store may write more.
constexpr uint64_t kMaxResultBytesOfClient = 64 << 10;

constexpr absl::Duration kPollInterval = absl::Milliseconds(50);

// --- The parent ---

absl::StatusOr<std::string> Ask(const TorchrunStore& store, const char* action, const std::string& key,
                                const std::string& value) {
  ASSIGN_OR_RETURN(const std::string self, SelfPath());
  ChildOptions child;
  child.argv = {self};
  child.environment = {
      {kActionVariable, action},
      {kHostVariable, store.host},
      {kPortVariable, absl::StrCat(store.port)},
      {kKeyVariable, key},
      {kValueVariable, value},
      {kSecondsVariable, absl::StrCat(absl::ToInt64Seconds(absl::Ceil(store.timeout, absl::Seconds(1))))}};
  child.max_result_bytes = kMaxResultBytesOfClient;
  ASSIGN_OR_RETURN(const std::vector<ChildExit> exits, RunChildren({child}, store.timeout));
  RETURN_IF_ERROR(CheckNotStopped());
  const std::unique_ptr<absl::StatusOr<std::string>> result = ParseResult(exits[0].result);
  if (result != nullptr) {
    return *result;
  }
  const std::string where = absl::StrCat("torchrun's store at ", store.host, ":", store.port);
  if (exits[0].timed_out) {
    return absl::UnavailableError(
        absl::StrCat("cannot ", action, " the address of rank 0: no answer from ", where, " for ",
                     absl::FormatDuration(store.timeout),
                     "; check that torchrun still runs there, or give --master_port and set LOCKSTEP_TOKEN"));
  }
  return absl::UnavailableError(absl::StrCat("the process that asked ", where, " ended by ",
                                             exits[0].signalled ? "signal " : "exit code ", exits[0].code));
}

// --- The child ---

absl::StatusOr<std::string> Serve() {
  const EnvironmentReader variables([](const char* name) { return std::getenv(name); }, "a client of torchrun's store",
                                    absl::StrCat("unset ", kActionVariable));
  ASSIGN_OR_RETURN(const std::string action, variables.Text(kActionVariable));
  ASSIGN_OR_RETURN(const std::string host, variables.Text(kHostVariable));
  ASSIGN_OR_RETURN(const int port, variables.Number(kPortVariable, 1, std::numeric_limits<uint16_t>::max()));
  ASSIGN_OR_RETURN(const std::string key, variables.Text(kKeyVariable));
  ASSIGN_OR_RETURN(const int seconds, variables.Number(kSecondsVariable, 1, std::numeric_limits<int>::max()));
  std::string value = variables.TextOrEmpty(kValueVariable);
  RETURN_IF_ERROR(CatchPeerErrors(absl::StrCat("torchrun's store at ", host, ":", port), [&] {
    c10d::TCPStoreOptions options;
    options.port = static_cast<uint16_t>(port);
    options.waitWorkers = false;
    options.timeout = std::chrono::seconds(seconds);
    c10d::TCPStore store(host, options);
    if (action == kPublish) {
      store.set(key, std::vector<uint8_t>(value.begin(), value.end()));
    } else {
      while (!store.check({key})) {
        absl::SleepFor(kPollInterval);
      }
      const std::vector<uint8_t> bytes = store.get(key);
      value.assign(bytes.begin(), bytes.end());
    }
  }));
  return value;
}

}  // namespace

absl::Status PublishIn(const TorchrunStore& store, const std::string& key, const std::string& value) {
  return Ask(store, kPublish, key, value).status();
}

absl::StatusOr<std::string> ReadFrom(const TorchrunStore& store, const std::string& key) {
  return Ask(store, kRead, key, "");
}

bool IsTorchrunStoreClient() { return std::getenv(kActionVariable) != nullptr; }

int RunTorchrunStoreClient() {
  std::signal(SIGTERM, SIG_DFL);  // the only way to end LibTorch's waits
  std::signal(SIGINT, SIG_IGN);   // a terminal sends the signal to the parent, too
  // LibTorch's sockets log a warning whenever a wait ends. Errors are returned as a status.
  FLAGS_caffe2_log_level = c10::GLOG_ERROR;
  const absl::Status written = WriteResult(FrameResult(Serve()));
  // Skips the destructors of LibTorch's client, which may wait for the server.
  std::_Exit(written.ok() ? 0 : static_cast<int>(ToExitCode(written)));
}

}  // namespace lockstep
