#include "lib/communicator/host_sums.h"

#include <ATen/ops/from_blob.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"

namespace lockstep {

absl::Status CheckOnCpu(const at::Tensor& flat) {
  return flat.is_cpu() && flat.is_contiguous() ? absl::OkStatus()
                                               : absl::InvalidArgumentError("expected a contiguous tensor on the CPU");
}

absl::StatusOr<SumType> SumTypeOf(const at::Tensor& flat) {
  RETURN_IF_ERROR(CheckOnCpu(flat));
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

at::ScalarType DtypeOf(SumType type) {
  return type == SumType::kBFloat16 ? at::kBFloat16 : type == SumType::kDouble ? at::kDouble : at::kFloat;
}

absl::StatusOr<at::Tensor> MakeSharedFlat(CollectiveQueue& queue, SharedMemoryAllReduce& ranks, int64_t elements,
                                          const at::TensorOptions& options, const AgreeOnBuffer& agree) {
  const size_t bytes = static_cast<size_t>(elements) * options.dtype().itemsize();
  if (!options.device().is_cpu() || !ranks.SumsInPlace(bytes)) {
    return at::Tensor();
  }
  std::shared_ptr<SharedBuffer> buffer;
  const absl::Status made = queue
                                .Add([&]() -> absl::Status {
                                  absl::StatusOr<std::shared_ptr<SharedBuffer>> own = ranks.MakeBuffer(bytes);
                                  buffer = own.ok() ? *own : nullptr;
                                  return agree == nullptr ? own.status() : agree(own.status());
                                })
                                ->Wait();
  if (absl::IsFailedPrecondition(made)) {
    return at::Tensor();
  }
  RETURN_IF_ERROR(made);
  return at::from_blob(
      buffer->data(), {elements}, [buffer](void*) {}, options);
}

absl::StatusOr<std::shared_ptr<Collective>> QueueSum(CollectiveQueue& queue, SharedMemoryAllReduce& ranks,
                                                     const at::Tensor& flat) {
  ASSIGN_OR_RETURN(const SumType type, SumTypeOf(flat));
  return queue.Add(
      [&ranks, flat, type] { return ranks.AllReduceSum(flat.data_ptr(), static_cast<size_t>(flat.numel()), type); });
}

}  // namespace lockstep
