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

at::Tensor TensorIn(std::shared_ptr<SharedBuffer> buffer, int64_t elements, const at::TensorOptions& options) {
  return at::from_blob(
      buffer->data(), {elements}, [buffer](void*) {}, options);
}

}  // namespace lockstep
