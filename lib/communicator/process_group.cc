// A backend with two operations. LibTorch waits by futures. On a GPU a future is completed at once and holds an event
// for which the waiting stream waits. On a CPU a thread waits for one sum after another and completes their futures.
#include "lib/communicator/process_group.h"

#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <utility>

#include "lib/base/start_thread.h"

namespace lockstep {
namespace {

using FuturePtr = c10::intrusive_ptr<c10::ivalue::Future>;

// Work that is completed when its future is.
class FutureWork : public c10d::Work {
 public:
  FutureWork(int rank, c10d::OpType type, FuturePtr future) : Work(rank, type), future_(std::move(future)) {}

  bool isCompleted() override { return future_->completed(); }
  bool isSuccess() const override { return future_->completed(); }
  void synchronize() override { future_->wait(); }
  bool wait(std::chrono::milliseconds) override {
    future_->wait();
    return true;
  }
  std::vector<at::Tensor> result() override { return future_->value().toTensorVector(); }
  FuturePtr getFuture() override { return future_; }

 private:
  const FuturePtr future_;
};

class CommunicatorBackend : public c10d::Backend {
 public:
  CommunicatorBackend(Communicator& communicator, c10::Device device, bool send)
      : Backend(communicator.rank(), communicator.size()), communicator_(communicator), device_(device), send_(send) {
    if (device_.is_cpu()) {
      Keep(waiter_.Start([this] { WaitForEach(); }));
    }
  }

  ~CommunicatorBackend() override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    waiter_.Join();
  }

  const std::string getBackendName() const override { return "lockstep"; }

  c10::intrusive_ptr<c10d::Work> allreduce(std::vector<at::Tensor>& tensors, const c10d::AllreduceOptions&) override {
    GroupSum sum;
    sum.ready = Timestamp::Here(device_);
    sum.bytes = tensors[0].nbytes();
    const FuturePtr future = MakeFuture();
    if (send_ && status().ok()) {
      absl::StatusOr<std::shared_ptr<Collective>> collective = communicator_.AllReduceSum(tensors[0]);
      Keep(collective.status());
      sum.collective = collective.ok() ? *std::move(collective) : nullptr;
    }
    Finish(sum.collective, future, tensors);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      sums_.push_back(std::move(sum));
    }
    return c10::make_intrusive<FutureWork>(getRank(), c10d::OpType::ALLREDUCE, future);
  }

  c10::intrusive_ptr<c10d::Work> broadcast(std::vector<at::Tensor>& tensors,
                                           const c10d::BroadcastOptions& options) override {
    if (status().ok()) {
      Keep(communicator_.Broadcast(tensors[0], static_cast<int>(options.rootRank)));
    }
    const FuturePtr future = MakeFuture();
    future->markCompleted(c10::IValue(tensors));
    return c10::make_intrusive<FutureWork>(getRank(), c10d::OpType::BROADCAST, future);
  }

  absl::Status status() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return status_;
  }

  std::vector<GroupSum> TakeSums() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(sums_, {});
  }

 private:
  struct Waiting {
    std::shared_ptr<Collective> collective;
    FuturePtr future;
    std::vector<at::Tensor> tensors;
  };

  FuturePtr MakeFuture() const {
    return c10::make_intrusive<c10::ivalue::Future>(
        c10::ListType::ofTensors(), device_.is_cpu() ? std::vector<c10::Device>() : std::vector<c10::Device>{device_});
  }

  void Keep(const absl::Status& status) {
    const std::lock_guard<std::mutex> lock(mutex_);
    status_.Update(status);
  }

  // Completes the future. On a GPU a separate stream waits for the sum, and the future records its event on that
  // stream.
  void Finish(const std::shared_ptr<Collective>& collective, const FuturePtr& future,
              const std::vector<at::Tensor>& tensors) {
    if (collective == nullptr) {
      future->markCompleted(c10::IValue(tensors));
    } else if (device_.is_cpu()) {
      const std::lock_guard<std::mutex> lock(mutex_);
      waiting_.push_back({collective, future, tensors});
      wake_.notify_one();
    } else {
      const c10::StreamGuard guard(c10::impl::VirtualGuardImpl(device_.type()).getStreamFromGlobalPool(device_));
      Keep(collective->Wait());
      future->markCompleted(c10::IValue(tensors));
    }
  }

  void WaitForEach() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      wake_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
      if (waiting_.empty()) {
        return;
      }
      const Waiting next = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      if (status().ok()) {  // otherwise one lost rank would cost a timeout for each sum
        Keep(next.collective->Wait());
      }
      next.future->markCompleted(c10::IValue(next.tensors));
      lock.lock();
    }
  }

  Communicator& communicator_;
  const c10::Device device_;
  const bool send_;
  mutable std::mutex mutex_;  // guards all members below
  std::condition_variable wake_;
  absl::Status status_;
  std::vector<GroupSum> sums_;
  std::deque<Waiting> waiting_;
  bool stopping_ = false;
  ThreadGroup waiter_;
};

}  // namespace

struct CommunicatorProcessGroup::State {
  c10::intrusive_ptr<CommunicatorBackend> backend;
  c10::intrusive_ptr<c10d::ProcessGroup> group;
};

CommunicatorProcessGroup::CommunicatorProcessGroup(Communicator& communicator, c10::Device device, bool send)
    : state_(std::make_unique<State>()) {
  constexpr auto kType = c10d::ProcessGroup::BackendType::CUSTOM;
  state_->backend = c10::make_intrusive<CommunicatorBackend>(communicator, device, send);
  state_->group = c10::make_intrusive<c10d::ProcessGroup>(communicator.rank(), communicator.size());
  state_->group->setBackend(device.type(), kType, c10::intrusive_ptr<c10d::Backend>(state_->backend));
  state_->group->setDefaultBackend(kType);
}

CommunicatorProcessGroup::~CommunicatorProcessGroup() = default;

c10d::ProcessGroup* CommunicatorProcessGroup::raw() { return state_->group.get(); }

absl::Status CommunicatorProcessGroup::status() const { return state_->backend->status(); }

std::vector<GroupSum> CommunicatorProcessGroup::TakeSums() { return state_->backend->TakeSums(); }

}  // namespace lockstep
