// Finds out that a process has come to a stop, as behind a GPU kernel that never ends: then no call that waits for the
// GPU returns, and none can be called off, so that only another thread can say so.
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

// Says that this process has done something since it last said so, and not only asked a device to: a step that was
// waited for, a launch that was timed. Thread-safe, and costs nothing.
void NoteProgress();

class StallWatch {
 public:
  // Called once, on the watch's thread, with DeadlineExceeded; it must not wait for what is stalled. The process's
  // other threads may have come to life again by then.
  using Stalled = std::function<void(const absl::Status&)>;

  // Sets up a watch that expects a call of NoteProgress every `limit` of the time that this process may run. Time that
  // the process spends stopped (Ctrl-Z) does not count. With InfiniteDuration nothing is watched.
  StallWatch(absl::Duration limit, Stalled stalled);
  ~StallWatch();
  StallWatch(const StallWatch&) = delete;
  StallWatch& operator=(const StallWatch&) = delete;

  // Begins to watch; the destructor ends it. Call it once. Errors are those of ThreadGroup::Start.
  absl::Status Start();

  // What is done from here on, for the message ("epoch 3"). Counts as progress. Called by one thread.
  void Enter(std::string what);

 private:
  void Watch();

  const absl::Duration limit_;
  const absl::Duration interval_;  // between two looks
  const Stalled stalled_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;  // guarded by mutex_
  std::string what_;  // guarded by mutex_
  ThreadGroup thread_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_STALL_WATCH_H_
