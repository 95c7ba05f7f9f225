// Thread that runs a communicator's operations on CPU tensors in order.
#ifndef LOCKSTEP_LIB_COMMUNICATOR_COLLECTIVE_QUEUE_H_
#define LOCKSTEP_LIB_COMMUNICATOR_COLLECTIVE_QUEUE_H_

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include "absl/status/status.h"
#include "lib/base/start_thread.h"
#include "lib/communicator/communicator.h"

namespace lockstep {

// Operations that are queued when the queue is destroyed still run: the other ranks depend on them, and their waits
// have timeouts.
class CollectiveQueue {
 public:
  CollectiveQueue() = default;
  ~CollectiveQueue();
  CollectiveQueue(const CollectiveQueue&) = delete;
  CollectiveQueue& operator=(const CollectiveQueue&) = delete;

  // Starts the thread. Must be called once, before Add. Errors are those of ThreadGroup::Start.
  absl::Status Start();

  // Queues `work`, and returns an operation whose Wait returns the status of `work`. One thread serves a communicator,
  // so the union of [begin, end] over the operations equals the union of the times in which one ran.
  std::shared_ptr<Collective> Add(std::function<absl::Status()> work);

 private:
  class Operation;
  void Serve();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Operation>> waiting_;
  bool closed_ = false;
  ThreadGroup thread_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMMUNICATOR_COLLECTIVE_QUEUE_H_
