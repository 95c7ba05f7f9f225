#include "lib/communicator/collective_queue.h"

#include <utility>

#include "lib/communicator/timestamp.h"

namespace lockstep {

// An operation that the thread runs once, and for which others wait.
class CollectiveQueue::Operation : public Collective {
 public:
  explicit Operation(std::function<absl::Status()> work) : work_(std::move(work)) {}

  absl::Status Wait() override {
    std::unique_lock<std::mutex> lock(mutex_);
    done_.wait(lock, [this] { return end_.has_value(); });
    return status_;
  }

  Timestamp begin() const override { return begin_; }
  Timestamp end() const override { return end_; }

  void Run() {
    absl::Status status = work_();
    work_ = nullptr;  // releases the tensor
    const std::lock_guard<std::mutex> lock(mutex_);
    status_ = std::move(status);
    end_ = Timestamp::Now();
    done_.notify_all();
  }

 private:
  const Timestamp begin_ = Timestamp::Now();
  std::function<absl::Status()> work_;
  std::mutex mutex_;
  std::condition_variable done_;
  absl::Status status_;
  Timestamp end_;
};

CollectiveQueue::~CollectiveQueue() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
  }
  changed_.notify_one();
  thread_.Join();
}

absl::Status CollectiveQueue::Start() {
  return thread_.Start([this] { Serve(); });
}

std::shared_ptr<Collective> CollectiveQueue::Add(std::function<absl::Status()> work) {
  auto operation = std::make_shared<Operation>(std::move(work));
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.push_back(operation);
  }
  changed_.notify_one();
  return operation;
}

void CollectiveQueue::Serve() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
    if (waiting_.empty()) {
      return;
    }
    const std::shared_ptr<Operation> next = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    next->Run();
    lock.lock();
  }
}

}  // namespace lockstep
