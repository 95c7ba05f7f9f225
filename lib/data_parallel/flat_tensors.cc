#include "lib/data_parallel/flat_tensors.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_copy.h>
#include <ATen/ops/as_strided.h>
#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

#include <map>
#include <utility>

namespace lockstep {

FlatTensors::FlatTensors(const std::vector<at::Tensor>& like, c10::Device device) : views_(like.size()) {
  const at::NoGradGuard no_grad;
  std::map<at::ScalarType, std::vector<size_t>> by_type;
  for (size_t i = 0; i < like.size(); ++i) {
    TORCH_CHECK(like[i].is_non_overlapping_and_dense(), "tensor ", i, " of ", like.size(), " has gaps in memory");
    by_type[like[i].scalar_type()].push_back(i);
  }
  for (auto& [type, index] : by_type) {
    int64_t numel = 0;
    for (const size_t i : index) {
      numel += like[i].numel();
    }
    const at::Tensor memory = at::empty({numel}, at::TensorOptions(device).dtype(type));
    int64_t offset = 0;
    for (const size_t i : index) {
      views_[i] = memory.as_strided(like[i].sizes(), like[i].strides(), offset);
      offset += like[i].numel();
    }
    pieces_.push_back({memory, std::move(index)});
  }
}

void FlatTensors::Pack(const std::vector<at::Tensor>& tensors) {
  const at::NoGradGuard no_grad;
  for (const Piece& piece : pieces_) {
    std::vector<at::Tensor> to, from;
    for (const size_t i : piece.index) {
      to.push_back(views_[i]);
      from.push_back(tensors[i]);
    }
    at::_foreach_copy_(to, from, /*non_blocking=*/true);  // one launch for all tensors on CUDA
  }
}

uint64_t FlatTensors::CopyFrom(const FlatTensors& other) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < pieces_.size(); ++i) {
    pieces_[i].memory.copy_(other.pieces_[i].memory, /*non_blocking=*/true);
    bytes += pieces_[i].memory.nbytes();
  }
  return bytes;
}

void FlatTensors::Add(const FlatTensors& other) {
  for (size_t i = 0; i < pieces_.size(); ++i) {
    pieces_[i].memory.add_(other.pieces_[i].memory);
  }
}

}  // namespace lockstep
