// Start of threads, with errors. All threads must be started here: the constructor of std::thread throws if the system
// has no thread left, and a std::thread that is destroyed before it is joined ends the process. Either would abort the
// process instead of returning an error.
#ifndef LOCKSTEP_LIB_BASE_START_THREAD_H_
#define LOCKSTEP_LIB_BASE_START_THREAD_H_

#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

#include "absl/status/status.h"

namespace lockstep {

// Threads that are joined together, at the latest by the destructor. Must be used by one thread at a time.
class ThreadGroup {
 public:
  ThreadGroup() = default;
  ~ThreadGroup() { Join(); }
  ThreadGroup(const ThreadGroup&) = delete;
  ThreadGroup& operator=(const ThreadGroup&) = delete;

  // Starts one more thread, which runs `work`. `work` must not throw.
  // Returns UnavailableError if the system has no thread left: a limit on processes, or no address space for the stack.
  // The threads that were started before continue. The error is not ResourceExhaustedError, because a training point
  // interprets that error as a batch that does not fit into memory.
  absl::Status Start(std::function<void()> work);

  // Waits for all threads. Their work must end without any action of the caller.
  void Join();

  // Returns true before the first successful Start, and after Join.
  bool empty() const { return threads_.empty(); }

 private:
  std::vector<std::thread> threads_;
};

// Starts a thread that nobody waits for. `work` must own all objects that it uses. Errors are those of
// ThreadGroup::Start.
absl::Status StartDetachedThread(std::function<void()> work);

// Checks that `count` more threads can run at the same time: starts them and waits until they have ended. Must be
// called before a library is used that hangs or ends the process if it gets no thread. Errors are those of
// ThreadGroup::Start.
absl::Status CheckThreadsCanStart(size_t count);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_START_THREAD_H_
