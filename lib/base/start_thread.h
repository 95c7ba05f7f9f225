// The one way to start a thread. A std::thread's constructor throws when the system has no thread left, and a thread
// object that is destroyed before it was joined ends the process: both would be an abort instead of an error.
#ifndef LOCKSTEP_LIB_BASE_START_THREAD_H_
#define LOCKSTEP_LIB_BASE_START_THREAD_H_

#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

#include "absl/status/status.h"

namespace lockstep {

// Threads that are joined together, at the latest by the destructor. To be used by one thread at a time.
class ThreadGroup {
 public:
  ThreadGroup() = default;
  ~ThreadGroup() { Join(); }
  ThreadGroup(const ThreadGroup&) = delete;
  ThreadGroup& operator=(const ThreadGroup&) = delete;

  // Starts one more thread, which runs `work`. `work` must not throw.
  // Returns UnavailableError if the system has no thread left: a limit on processes, or no address space for the stack.
  // The threads that were started before go on. It is not ResourceExhaustedError, because a training point takes that
  // for a batch that does not fit into memory.
  absl::Status Start(std::function<void()> work);

  // Waits for all threads. Their work must come to its end without the caller.
  void Join();

  // True before the first Start that succeeds, and after Join.
  bool empty() const { return threads_.empty(); }

 private:
  std::vector<std::thread> threads_;
};

// Starts a thread that nobody waits for. `work` must own all that it uses. Errors are those of ThreadGroup::Start.
absl::Status StartDetachedThread(std::function<void()> work);

// Finds out whether `count` more threads can run at the same time: starts them, and waits until they are gone. For
// libraries that hang or end the process when they get no thread. Errors are those of ThreadGroup::Start.
absl::Status CheckThreadsCanStart(size_t count);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_START_THREAD_H_
