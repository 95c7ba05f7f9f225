#include "lib/distributed_data_parallel/distributed_data_parallel.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/communicator/broadcast_tensors.h"
#include "lib/distributed_data_parallel/module_tensors.h"
#include "lib/distributed_data_parallel/process_group_state.h"
#include "lib/distributed_data_parallel/status_error.h"
#include "lib/reducer/bucketed_reducer.h"

namespace lockstep {
namespace {

// First character of the message that a rank gathers in place of its description.
constexpr char kRefused = '!';

std::vector<at::Tensor> OnlyTensors(const std::vector<NamedParameter>& named) {
  std::vector<at::Tensor> tensors;
  for (const NamedParameter& one : named) {
    tensors.push_back(one.tensor);
  }
  return tensors;
}

}  // namespace

struct DistributedDataParallelState {
  DistributedDataParallelState(const torch::nn::Module& module, ProcessGroupState& joined,
                               const DistributedDataParallelOptions& options)
      : tensors(TensorsOf(module)), group(joined), options(options) {}

  absl::Status Start();
  absl::Status CheckRanks();
  absl::Status Broadcast(const std::vector<NamedParameter>& from_rank_0);
  absl::Status AfterBackward();

  const ModuleTensors tensors;
  ProcessGroupState& group;
  const DistributedDataParallelOptions options;
  std::unique_ptr<BucketedReducer> reducer;
  bool reduced = false;  // true between Backward() and Step()
};

// Every rank takes part in the gathering, also one that refuses its own module, so that all ranks throw.
absl::Status DistributedDataParallelState::CheckRanks() {
  const absl::Status own = CheckTensors(tensors, group.device);
  const std::string description =
      own.ok() ? absl::StrCat(Describe(tensors), "\noptions (", options.first_bucket_bytes, ", ", options.bucket_bytes,
                              ", ", options.broadcast_buffers ? "true" : "false", ")")
               : absl::StrCat(std::string(1, kRefused), own.message());
  ASSIGN_OR_RETURN(const std::vector<std::string> all, group.Gather(description));
  for (size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].front() == kRefused) {
      return absl::InvalidArgumentError(absl::StrCat(all[rank].substr(1), " (rank ", rank, ")"));
    }
  }
  return CheckSameDescriptions(all);
}

absl::Status DistributedDataParallelState::Broadcast(const std::vector<NamedParameter>& from_rank_0) {
  return BroadcastTensors(*group.communicator, OnlyTensors(from_rank_0), /*root=*/0);
}

absl::Status DistributedDataParallelState::Start() {
  RETURN_IF_ERROR(group.failure);
  RETURN_IF_ERROR(CheckRanks());
  RETURN_IF_ERROR(Broadcast(tensors.trainable));
  RETURN_IF_ERROR(Broadcast(tensors.frozen));
  RETURN_IF_ERROR(Broadcast(tensors.buffers));
  ReducerOptions reducer_options;
  reducer_options.caps = {options.first_bucket_bytes, options.bucket_bytes};
  ASSIGN_OR_RETURN(reducer, BucketedReducer::Create(tensors.trainable, *group.communicator, reducer_options));
  return absl::OkStatus();
}

absl::Status DistributedDataParallelState::AfterBackward() {
  RETURN_IF_ERROR(reducer->AfterBackward());
  return options.broadcast_buffers ? Broadcast(tensors.buffers) : absl::OkStatus();
}

DistributedDataParallel::DistributedDataParallel(const torch::nn::Module& module, ProcessGroup& group,
                                                 const DistributedDataParallelOptions& options)
    : state_(std::make_unique<DistributedDataParallelState>(module, *group.state_, options)) {
  ThrowIfError(state_->group.Note(state_->Start()));
}

DistributedDataParallel::~DistributedDataParallel() = default;

void DistributedDataParallel::Backward(const torch::Tensor& loss) {
  ProcessGroupState& group = state_->group;
  ThrowIfError(group.failure);
  if (state_->reduced) {
    ThrowIfError(group.Note(absl::FailedPreconditionError(absl::StrCat(
        kOfDistributedDataParallel,
        "Backward() was called twice without Step(), which would drop the first gradients: call loss.backward() "
        "for all micro-batches of a step but the last"))));
  }
  ThrowIfError(group.Note(state_->reducer->BeforeBackward()));
  try {
    loss.backward();
  } catch (...) {
    group
        .Note(absl::InternalError(
            absl::StrCat(kOfDistributedDataParallel, "an earlier backward pass threw an exception")))
        .IgnoreError();
    throw;
  }
  ThrowIfError(group.Note(state_->AfterBackward()));
  state_->reduced = true;
}

void DistributedDataParallel::Step(torch::optim::Optimizer& optimizer) {
  ThrowIfError(state_->group.failure);
  if (!state_->reduced) {
    ThrowIfError(state_->group.Note(absl::FailedPreconditionError(absl::StrCat(
        kOfDistributedDataParallel,
        "Step() was called without Backward(), so no gradient was averaged over the ranks: call Backward(loss) "
        "instead of loss.backward() for the last loss of the step"))));
  }
  optimizer.step();
  // The gradients are views of buckets, which zero_grad() refuses to detach: remove them first.
  for (const NamedParameter& parameter : state_->tensors.trainable) {
    parameter.tensor.mutable_grad().reset();
  }
  optimizer.zero_grad();
  state_->reduced = false;
}

}  // namespace lockstep
