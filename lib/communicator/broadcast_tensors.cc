#include "lib/communicator/broadcast_tensors.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>

#include <map>

#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

absl::Status BroadcastPacked(Communicator& communicator, const std::vector<at::Tensor>& tensors, int root) {
  std::vector<at::Tensor> flat;
  for (const at::Tensor& tensor : tensors) {
    flat.push_back(tensor.reshape({-1}));
  }
  const at::Tensor packed = at::cat(flat);
  RETURN_IF_ERROR(communicator.Broadcast(packed, root));
  int64_t offset = 0;
  for (const at::Tensor& tensor : tensors) {
    tensor.copy_(packed.narrow(0, offset, tensor.numel()).view(tensor.sizes()));
    offset += tensor.numel();
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status BroadcastTensors(Communicator& communicator, const std::vector<at::Tensor>& tensors, int root) {
  const at::NoGradGuard no_grad;
  std::map<at::ScalarType, std::vector<at::Tensor>> by_type;
  for (const at::Tensor& tensor : tensors) {
    by_type[tensor.scalar_type()].push_back(tensor);
  }
  for (const auto& [type, same] : by_type) {
    RETURN_IF_ERROR(BroadcastPacked(communicator, same, root));
  }
  return absl::OkStatus();
}

}  // namespace lockstep
