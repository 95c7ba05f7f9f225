// Tensors on CPUs as arguments of SharedMemoryAllReduce (lib/peer). A communicator's thread runs its operations.
#ifndef LOCKSTEP_LIB_COMMUNICATOR_HOST_SUMS_H_
#define LOCKSTEP_LIB_COMMUNICATOR_HOST_SUMS_H_

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/communicator/collective_queue.h"
#include "lib/peer/shared_memory_all_reduce.h"

namespace lockstep {

// Returns InvalidArgumentError unless the tensor is contiguous and on the CPU.
absl::Status CheckOnCpu(const at::Tensor& flat);

// Returns the type of a sum of such tensors. Errors are those of CheckOnCpu; also InvalidArgumentError unless the dtype
// is fp32, bf16 or fp64.
absl::StatusOr<SumType> SumTypeOf(const at::Tensor& flat);

// Returns the dtype of the numbers of a sum.
at::ScalarType DtypeOf(SumType type);

// Function that turns this rank's status of making a buffer into one that is the same on all ranks of a communicator.
using AgreeOnBuffer = std::function<absl::Status(const absl::Status&)>;

// Returns a tensor of Communicator::MakeFlat in a SharedBuffer of `ranks`, which the tensor keeps alive. Returns an
// undefined tensor if sums of its size are not done in place, the device is not the CPU, or the ranks cannot share the
// memory (FailedPreconditionError of `agree`); the result is then the same on all ranks. `agree` may be null if `ranks`
// are all ranks of the communicator. `queue` is the communicator's; the caller must not be its thread. Other errors are
// those of SharedMemoryAllReduce::MakeBuffer and of `agree`.
absl::StatusOr<at::Tensor> MakeSharedFlat(CollectiveQueue& queue, SharedMemoryAllReduce& ranks, int64_t elements,
                                          const at::TensorOptions& options, const AgreeOnBuffer& agree = nullptr);

// Queues SharedMemoryAllReduce::AllReduceSum of the tensor, with the contract of Communicator::AllReduceSum. `ranks`
// must outlive the operation. Errors are those of SumTypeOf.
absl::StatusOr<std::shared_ptr<Collective>> QueueSum(CollectiveQueue& queue, SharedMemoryAllReduce& ranks,
                                                     const at::Tensor& flat);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMMUNICATOR_HOST_SUMS_H_
