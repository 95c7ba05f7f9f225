#include "lib/communicator/shared_memory_communicator.h"

#include <ATen/ops/from_blob.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/start_thread.h"
#include "lib/base/status_macros.h"
#include "lib/peer/shared_memory_all_reduce.h"

namespace lockstep {
namespace {

// An operation that the worker runs once, and for which others wait.
class QueuedCollective : public Collective {
 public:
  explicit QueuedCollective(std::function<absl::Status()> work) : work_(std::move(work)) {}

  absl::Status Wait() override {
    std::unique_lock<std::mutex> lock(mutex_);
    done_.wait(lock, [this] { return end_.has_value(); });
    return status_;
  }

  // One thread serves a communicator, so the union of [begin, end] over the operations equals the union of the times in
  // which one ran, like for Gloo.
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

// Thread that runs the operations in order. Operations that are queued when it is destroyed still run: the other ranks
// depend on them, and their waits have timeouts.
class CollectiveQueue {
 public:
  CollectiveQueue() = default;
  ~CollectiveQueue() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      closed_ = true;
    }
    changed_.notify_one();
    thread_.Join();
  }
  CollectiveQueue(const CollectiveQueue&) = delete;
  CollectiveQueue& operator=(const CollectiveQueue&) = delete;

  // Starts the thread. Must be called once, before Add. Errors are those of ThreadGroup::Start.
  absl::Status Start() {
    return thread_.Start([this] { Serve(); });
  }

  void Add(std::shared_ptr<QueuedCollective> collective) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      waiting_.push_back(std::move(collective));
    }
    changed_.notify_one();
  }

 private:
  void Serve() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
      if (waiting_.empty()) {
        return;
      }
      const std::shared_ptr<QueuedCollective> next = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      next->Run();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<QueuedCollective>> waiting_;
  bool closed_ = false;
  ThreadGroup thread_;
};

absl::StatusOr<SumType> SumTypeOf(const at::Tensor& flat) {
  switch (flat.scalar_type()) {
    case at::kFloat:
      return SumType::kFloat;
    case at::kBFloat16:
      return SumType::kBFloat16;
    case at::kDouble:
      return SumType::kDouble;
    default:
      return absl::InvalidArgumentError(
          absl::StrCat("expected a sum of fp32, bf16 or fp64, found ", c10::toString(flat.scalar_type())));
  }
}

absl::Status CheckPlace(const at::Tensor& flat) {
  return flat.is_cpu() && flat.is_contiguous() ? absl::OkStatus()
                                               : absl::InvalidArgumentError("expected a contiguous tensor on the CPU");
}

class SharedMemoryCommunicator : public Communicator {
 public:
  SharedMemoryCommunicator(Store& store, int rank, int size, std::unique_ptr<SharedMemoryAllReduce> ranks)
      : Communicator(store, rank, size), ranks_(std::move(ranks)) {}

  // Must be called once, before any operation.
  absl::Status StartQueue() { return queue_.Start(); }

  absl::string_view name() const override { return "shared_memory"; }

  // Allocates memory that the other ranks can read, except for tensors so small that they would be copied anyway.
  absl::StatusOr<at::Tensor> MakeFlat(int64_t elements, const at::TensorOptions& options) override {
    const size_t bytes = static_cast<size_t>(elements) * options.dtype().itemsize();
    if (!options.device().is_cpu() || !ranks_->SumsInPlace(bytes)) {
      return Communicator::MakeFlat(elements, options);
    }
    std::shared_ptr<SharedBuffer> buffer;
    const absl::Status made = Start([&]() -> absl::Status {
                                ASSIGN_OR_RETURN(buffer, ranks_->MakeBuffer(bytes));
                                return absl::OkStatus();
                              })->Wait();
    if (absl::IsFailedPrecondition(made)) {  // same result on all ranks
      return Communicator::MakeFlat(elements, options);
    }
    RETURN_IF_ERROR(made);
    return at::from_blob(
        buffer->data(), {elements}, [buffer](void*) {}, options);
  }

  absl::StatusOr<std::shared_ptr<Collective>> AllReduceSum(const at::Tensor& flat) override {
    RETURN_IF_ERROR(CheckPlace(flat));
    ASSIGN_OR_RETURN(const SumType type, SumTypeOf(flat));
    return Start(
        [this, flat, type] { return ranks_->AllReduceSum(flat.data_ptr(), static_cast<size_t>(flat.numel()), type); });
  }

  absl::Status Broadcast(const at::Tensor& flat, int root) override {
    RETURN_IF_ERROR(CheckPlace(flat));
    return Start([this, flat, root] { return ranks_->Broadcast(flat.data_ptr(), flat.nbytes(), root); })->Wait();
  }

 private:
  std::shared_ptr<Collective> Start(std::function<absl::Status()> work) {
    auto collective = std::make_shared<QueuedCollective>(std::move(work));
    queue_.Add(collective);
    return collective;
  }

  const std::unique_ptr<SharedMemoryAllReduce> ranks_;
  CollectiveQueue queue_;  // destroyed before ranks_, which its thread uses
};

}  // namespace

absl::StatusOr<std::unique_ptr<Communicator>> MakeSharedMemoryCommunicator(Store& store, int rank, int size,
                                                                           absl::Duration timeout) {
  SharedMemoryAllReduceOptions options;
  options.rank = rank;
  options.size = size;
  options.timeout = timeout;
  options.gather = [&store, rank, size](absl::string_view bytes) { return store.AllGather(rank, size, bytes); };
  ASSIGN_OR_RETURN(std::unique_ptr<SharedMemoryAllReduce> ranks, SharedMemoryAllReduce::Open(options));
  auto communicator = std::make_unique<SharedMemoryCommunicator>(store, rank, size, std::move(ranks));
  RETURN_IF_ERROR(communicator->StartQueue());
  return std::unique_ptr<Communicator>(std::move(communicator));
}

}  // namespace lockstep
