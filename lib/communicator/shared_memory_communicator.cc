#include "lib/communicator/shared_memory_communicator.h"

#include <utility>

#include "absl/status/status.h"
#include "lib/base/status_macros.h"
#include "lib/communicator/collective_queue.h"
#include "lib/communicator/host_sums.h"
#include "lib/peer/shared_memory_all_reduce.h"

namespace lockstep {
namespace {

class SharedMemoryCommunicator : public Communicator {
 public:
  SharedMemoryCommunicator(Store& store, int rank, int size, std::unique_ptr<SharedMemoryAllReduce> ranks)
      : Communicator(store, rank, size), ranks_(std::move(ranks)) {}

  // Must be called once, before any operation.
  absl::Status StartQueue() { return queue_.Start(); }

  absl::string_view name() const override { return "shared_memory"; }

  // Allocates memory that the other ranks can read, except for tensors so small that they would be copied anyway.
  absl::StatusOr<at::Tensor> MakeFlat(int64_t elements, const at::TensorOptions& options) override {
    ASSIGN_OR_RETURN(at::Tensor flat, MakeSharedFlat(queue_, *ranks_, elements, options));
    if (!flat.defined()) {
      return Communicator::MakeFlat(elements, options);
    }
    return flat;
  }

  absl::StatusOr<std::shared_ptr<Collective>> AllReduceSum(const at::Tensor& flat) override {
    return QueueSum(queue_, *ranks_, flat);
  }

  absl::Status Broadcast(const at::Tensor& flat, int root) override {
    RETURN_IF_ERROR(CheckOnCpu(flat));
    return queue_.Add([this, flat, root] { return ranks_->Broadcast(flat.data_ptr(), flat.nbytes(), root); })->Wait();
  }

 private:
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
