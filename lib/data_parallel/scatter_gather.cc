#include "lib/data_parallel/scatter_gather.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

namespace lockstep {

std::vector<at::Tensor> Scatter(const at::Tensor& whole, const std::vector<c10::Device>& devices, uint64_t& bytes) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> parts = whole.chunk(static_cast<int64_t>(devices.size()));
  for (size_t i = 1; i < parts.size(); ++i) {
    at::Tensor copy = at::empty_like(parts[i], parts[i].options().device(devices[i]));
    copy.copy_(parts[i], /*non_blocking=*/true);
    bytes += copy.nbytes();
    parts[i] = copy;
  }
  return parts;
}

at::Tensor Gather(const std::vector<at::Tensor>& parts, uint64_t& bytes) {
  const at::NoGradGuard no_grad;
  std::vector<int64_t> sizes = parts.front().sizes().vec();
  sizes[0] = 0;
  for (const at::Tensor& part : parts) {
    sizes[0] += part.size(0);
  }
  at::Tensor whole = at::empty(sizes, parts.front().options());
  int64_t row = 0;
  for (const at::Tensor& part : parts) {
    whole.narrow(0, row, part.size(0)).copy_(part, /*non_blocking=*/true);
    bytes += row == 0 ? 0 : part.nbytes();
    row += part.size(0);
  }
  return whole;
}

}  // namespace lockstep
