#include "lib/base/start_thread.h"

#include <sys/stat.h>

#include <mutex>
#include <system_error>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "lib/base/monotonic_time.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

constexpr absl::Duration kReleaseTime = absl::Seconds(1);  // upper bound; microseconds on an idle machine
constexpr absl::Duration kPollInterval = absl::Milliseconds(1);

// Returns the number of threads of this process that count towards its limits: the folders in /proc/self/task without
// "." and "..". Returns 0 if /proc is not mounted.
size_t CountedThreads() {
  struct stat info;
  return stat("/proc/self/task", &info) == 0 && info.st_nlink > 2 ? info.st_nlink - 2 : 0;
}

// Waits until joined threads no longer count towards a limit, at most kReleaseTime.
void WaitUntilReleased(size_t threads_before) {
  const MonotonicTime deadline = MonotonicTime::Now() + kReleaseTime;
  while (CountedThreads() > threads_before && MonotonicTime::Now() < deadline) {
    absl::SleepFor(kPollInterval);
  }
}

absl::StatusOr<std::thread> TryStart(std::function<void()> work) {
  try {
    return std::thread(std::move(work));
  } catch (const std::system_error& error) {
    return absl::UnavailableError(absl::StrCat("cannot start a thread: ", error.code().message(),
                                               "; raise the limit on processes (ulimit -u, the container's pids "
                                               "limit) or on memory (ulimit -v)"));
  }
}

}  // namespace

absl::Status ThreadGroup::Start(std::function<void()> work) {
  threads_.emplace_back();  // before the thread starts, because the vector may throw
  absl::StatusOr<std::thread> started = TryStart(std::move(work));
  if (!started.ok()) {
    threads_.pop_back();
    return started.status();
  }
  threads_.back() = *std::move(started);
  return absl::OkStatus();
}

void ThreadGroup::Join() {
  for (std::thread& thread : threads_) {
    if (thread.joinable()) {  // false if std::bad_alloc was thrown between emplace_back and the start
      thread.join();
    }
  }
  threads_.clear();
}

absl::Status StartDetachedThread(std::function<void()> work) {
  ASSIGN_OR_RETURN(std::thread thread, TryStart(std::move(work)));
  thread.detach();
  return absl::OkStatus();
}

absl::Status CheckThreadsCanStart(size_t count) {
  const size_t threads_before = CountedThreads();
  absl::Status status;
  std::mutex gate;  // locked until all threads have been started
  ThreadGroup threads;
  {
    const std::lock_guard<std::mutex> closed(gate);
    for (size_t i = 0; i < count && status.ok(); ++i) {
      status = threads.Start([&gate] { const std::lock_guard<std::mutex> passed(gate); });
    }
  }
  threads.Join();
  WaitUntilReleased(threads_before);
  return status;
}

}  // namespace lockstep
