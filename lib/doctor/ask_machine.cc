#include "lib/doctor/ask_machine.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "lib/base/monotonic_time.h"
#include "lib/base/start_thread.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/base/subprocess.h"
#include "lib/doctor/answer.h"
#include "lib/doctor/build_facts.h"
#include "lib/doctor/libtorch.h"

namespace lockstep {
namespace {

constexpr absl::Duration kGrace = absl::Seconds(1);
constexpr absl::Duration kStopGrace = absl::Seconds(3);  // RunChildren takes 2 s from SIGTERM to SIGKILL
constexpr absl::Duration kPollInterval = absl::Milliseconds(10);

// Largest answer of a probe. An answer has a few kilobytes, and quotes the first lines of other programs.
constexpr uint64_t kMaxAnswerBytes = 16 << 20;

proto::ProbeEnd::Kind KindOf(const ChildExit& exit) {
  if (exit.timed_out || exit.ended_by_parent) {
    return proto::ProbeEnd::HUNG;
  }
  if (exit.signalled) {
    return proto::ProbeEnd::CRASHED;
  }
  return exit.code == 0 ? proto::ProbeEnd::ANSWERED : proto::ProbeEnd::FAILED;
}

// Results of the threads that wait for probes. A thread whose probe cannot be ended shares ownership and is abandoned.
class Answers {
 public:
  void Expect(const std::string& probe) {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.push_back(probe);
  }

  void Take(const std::string& probe, const absl::StatusOr<std::vector<ChildExit>>& exits) {
    proto::MachineFacts answer;
    proto::ProbeEnd end;
    end.set_probe(probe);
    end.set_kind(proto::ProbeEnd::FAILED);
    if (exits.ok()) {
      const ChildExit& exit = exits->front();
      answer = ReadAnswer(exit.result);
      end.set_kind(KindOf(exit));
      end.set_step(end.kind() == proto::ProbeEnd::ANSWERED ? "" : answer.step());
      end.set_signal(end.kind() == proto::ProbeEnd::CRASHED ? exit.code : 0);
      answer.clear_step();
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    facts_.MergeFrom(answer);
    *facts_.add_probe_end() = std::move(end);
    waiting_.erase(std::find(waiting_.begin(), waiting_.end(), probe));
  }

  bool IsWaitingFor(const std::string& probe) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::find(waiting_.begin(), waiting_.end(), probe) != waiting_.end();
  }

  bool IsWaiting() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return !waiting_.empty();
  }

  // Returns the facts so far.
  proto::MachineFacts Facts() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    proto::MachineFacts facts = facts_;
    for (const std::string& probe : waiting_) {
      proto::ProbeEnd& end = *facts.add_probe_end();
      end.set_probe(probe);
      end.set_kind(proto::ProbeEnd::HUNG);
      end.set_step("the kernel, where it cannot be ended");
    }
    return facts;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> waiting_;
  proto::MachineFacts facts_;
};

template <typename Condition>
void WaitWhile(const Condition& condition, MonotonicTime deadline) {
  while (condition() && MonotonicTime::Now() < deadline) {
    absl::SleepFor(kPollInterval);
  }
}

absl::Status StartProbe(const std::string& probe, ChildOptions child, absl::Duration timeout,
                        const std::shared_ptr<Answers>& answers) {
  answers->Expect(probe);
  child.argv.push_back(absl::StrCat("--probe=", probe));
  child.max_result_bytes = kMaxAnswerBytes;
  child.own_session = true;  // ends the programs that the probe started, too
  return StartDetachedThread(
      [probe, child = std::move(child), timeout, answers] { answers->Take(probe, RunChildren({child}, timeout)); });
}

std::string SearchPath(const proto::LibTorchFacts& libtorch) {
  const char* before = std::getenv("LD_LIBRARY_PATH");
  return LibraryPath({libtorch.folder().begin(), libtorch.folder().end()}, ThisBuild(), ThisDistribution(),
                     before == nullptr ? "" : before);
}

}  // namespace

absl::StatusOr<proto::MachineFacts> AskMachine(const std::vector<std::string>& command,
                                               const std::vector<Probe>& probes, absl::Duration timeout) {
  const MonotonicTime deadline = MonotonicTime::Now() + timeout;
  const auto answers = std::make_shared<Answers>();
  ChildOptions child;
  child.argv = command;
  for (const Probe& probe : probes) {
    if (!probe.with_libraries) {
      const absl::Duration limit = std::string(probe.name) == kFoldersProbe ? timeout / 2 : timeout;
      RETURN_IF_ERROR(StartProbe(probe.name, child, limit, answers));
    }
  }
  WaitWhile([&] { return !StopRequested() && answers->IsWaitingFor(kFoldersProbe); },
            MonotonicTime::Now() + timeout / 2 + kGrace);
  child.environment = {{"LD_LIBRARY_PATH", SearchPath(answers->Facts().libtorch())}};
  for (const Probe& probe : probes) {
    if (probe.with_libraries) {
      RETURN_IF_ERROR(StartProbe(probe.name, child, deadline - MonotonicTime::Now(), answers));
    }
  }
  WaitWhile([&] { return !StopRequested() && answers->IsWaiting(); }, deadline + kGrace);
  if (StopRequested()) {  // each thread ends its probe and the programs that the probe started
    WaitWhile([&] { return answers->IsWaiting(); }, MonotonicTime::Now() + kStopGrace);
  }
  RETURN_IF_ERROR(CheckNotStopped());
  return answers->Facts();
}

}  // namespace lockstep
