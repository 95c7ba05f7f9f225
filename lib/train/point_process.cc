#include "lib/train/point_process.h"

#include <csignal>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "lib/base/exit_status.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/base/subprocess.h"

namespace lockstep {
namespace {

proto::SweepFile Lost(uint32_t batch_size, proto::Outcome outcome, const std::string& detail) {
  proto::SweepFile file;
  proto::SweepPoint& point = *file.add_record()->mutable_point();
  point.set_batch_size(batch_size);
  point.set_outcome(outcome);
  point.set_detail(detail);
  return file;
}

// Returns the signal that ended the process, or 0. Must be called only if this process sent no signal. A process that
// a stop signal ended reports this by its exit status.
int SignalOf(const ChildExit& exit) {
  if (exit.signalled) {
    return exit.code;
  }
  return exit.code == static_cast<int>(ExitCode::kTerminated)    ? SIGTERM
         : exit.code == static_cast<int>(ExitCode::kHungUp)      ? SIGHUP
         : exit.code == static_cast<int>(ExitCode::kInterrupted) ? SIGINT
                                                                 : 0;
}

absl::Status EndedBySignal(uint32_t batch_size, int signal_number) {
  return absl::UnavailableError(absl::StrCat("batch ", batch_size, ": its process was ended by signal ", signal_number,
                                             " (", strsignal(signal_number),
                                             "), so its result is unknown; the same command resumes with it"));
}

// Returns a FAILED point. If a process has too little memory to load LibTorch, its output comes from the loader and is
// no result.
proto::SweepFile ExitedEarly(uint32_t batch_size, int code, uint64_t memory_limit_bytes) {
  const bool limited = memory_limit_bytes != 0;
  const std::string hint =
      limited ? absl::StrCat("; a memory limit of ", memory_limit_bytes, " bytes may be too little to load LibTorch")
              : "";
  proto::SweepFile file =
      Lost(batch_size, proto::FAILED, absl::StrCat("its process exited with status ", code, " and no result", hint));
  file.mutable_record(0)->mutable_point()->set_exit_status(limited ? static_cast<int>(ExitCode::kDevice) : code);
  return file;
}

}  // namespace

absl::StatusOr<proto::SweepFile> RunPointProcess(const std::vector<std::string>& argv, uint64_t memory_limit_bytes,
                                                 uint32_t batch_size) {
  ChildOptions child;
  child.argv = argv;
  child.data_limit_bytes = memory_limit_bytes;
  ASSIGN_OR_RETURN(const std::vector<ChildExit> exits, RunChildren({child}, absl::InfiniteDuration()));
  RETURN_IF_ERROR(CheckNotStopped());
  const ChildExit& exit = exits[0];
  if (exit.out_of_memory) {
    return Lost(batch_size, proto::KILLED, "its process was killed by the kernel: out of memory");
  }
  if (const int signal_number = SignalOf(exit); signal_number != 0) {
    return EndedBySignal(batch_size, signal_number);
  }
  proto::SweepFile file;
  if (exit.code == 0 && file.ParseFromString(exit.result) && file.record_size() > 0 && file.record(0).has_point()) {
    return file;
  }
  return ExitedEarly(batch_size, exit.code, memory_limit_bytes);
}

}  // namespace lockstep
