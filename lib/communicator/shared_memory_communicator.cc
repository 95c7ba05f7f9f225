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
    const size_t bytes = static_cast<size_t>(elements) * options.dtype().itemsize();
    if (!options.device().is_cpu() || !ranks_->SumsInPlace(bytes)) {
      return Communicator::MakeFlat(elements, options);
    }
    std::shared_ptr<SharedBuffer> buffer;
    const absl::Status made = queue_
                                  .Add([&]() -> absl::Status {
                                    ASSIGN_OR_RETURN(buffer, ranks_->MakeBuffer(bytes));
                                    return absl::OkStatus();
                                  })
                                  ->Wait();
    if (absl::IsFailedPrecondition(made)) {  // same result on all ranks
      return Communicator::MakeFlat(elements, options);
    }
    RETURN_IF_ERROR(made);
    return TensorIn(std::move(buffer), elements, options);
  }

  absl::StatusOr<std::shared_ptr<Collective>> AllReduceSum(const at::Tensor& flat) override {
    ASSIGN_OR_RETURN(const SumType type, SumTypeOf(flat));
    return queue_.Add(
        [this, flat, type] { return ranks_->AllReduceSum(flat.data_ptr(), static_cast<size_t>(flat.numel()), type); });
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
