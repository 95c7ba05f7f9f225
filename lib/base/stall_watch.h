// StallWatch: a watchdog thread that reports a process that no longer makes progress.
//
// If a GPU kernel never ends, every CUDA call that waits for the GPU blocks, and a blocked CUDA call cannot be
// cancelled. Only another thread can detect and report the hang.
#ifndef LOCKSTEP_LIB_BASE_STALL_WATCH_H_
#define LOCKSTEP_LIB_BASE_STALL_WATCH_H_

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "lib/base/start_thread.h"

namespace lockstep {

// Records that this process has made progress: it has waited for a step, or timed a launch. Queueing work on a device
// is not progress. Thread-safe; costs one relaxed atomic addition.
void NoteProgress();

class StallWatch {
 public:
  // Called at most once, on the watchdog thread, with DeadlineExceededError. The callback must not wait for the stalled
  // work. Other threads may have resumed by the time it runs.
  using Stalled = std::function<void(const absl::Status&)>;

  // Sets up a watch. NoteProgress must be called at least once per `limit` of running time; time during which the
  // process is stopped (Ctrl-Z) does not count. InfiniteDuration disables the watch.
  StallWatch(absl::Duration limit, Stalled stalled);
  ~StallWatch();
  StallWatch(const StallWatch&) = delete;
  StallWatch& operator=(const StallWatch&) = delete;

  // Starts the watchdog thread; the destructor ends it. Must be called at most once. Errors are those of
  // ThreadGroup::Start.
  absl::Status Start();

  // Sets the name of the current phase for the error message ("epoch 3"). Counts as progress. Must be called by one
  // thread only.
  void Enter(std::string phase);

 private:
  void Watch();

  const absl::Duration limit_;
  const absl::Duration poll_interval_;  // time between two checks
  const Stalled stalled_;
  std::mutex mutex_;
  std::condition_variable stopping_changed_;
  bool stopping_ = false;  // guarded by mutex_
  std::string phase_;      // guarded by mutex_
  ThreadGroup thread_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_STALL_WATCH_H_
