// Tensors on CPUs as arguments of SharedMemoryAllReduce (lib/peer).
#ifndef LOCKSTEP_LIB_COMMUNICATOR_HOST_SUMS_H_
#define LOCKSTEP_LIB_COMMUNICATOR_HOST_SUMS_H_

#include <ATen/core/Tensor.h>

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/peer/shared_memory_all_reduce.h"

namespace lockstep {

// Returns InvalidArgumentError unless the tensor is contiguous and on the CPU.
absl::Status CheckOnCpu(const at::Tensor& flat);

// Returns the type of a sum of such tensors. Errors are those of CheckOnCpu; also InvalidArgumentError unless the dtype
// is fp32, bf16 or fp64.
absl::StatusOr<SumType> SumTypeOf(const at::Tensor& flat);

// Returns the dtype of the numbers of a sum.
at::ScalarType DtypeOf(SumType type);

// Returns a tensor of `elements` elements at the beginning of `buffer`, which it keeps alive.
at::Tensor TensorIn(std::shared_ptr<SharedBuffer> buffer, int64_t elements, const at::TensorOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMMUNICATOR_HOST_SUMS_H_
