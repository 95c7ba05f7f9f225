// Packs tensors of one dtype into one contiguous buffer, so that one copy moves them all, like torch's
// broadcast_coalesced and reduce_add_coalesced (torch/csrc/cuda/comm.cpp, torch/nn/parallel/comm.py).
#ifndef LOCKSTEP_LIB_DATA_PARALLEL_FLAT_TENSORS_H_
#define LOCKSTEP_LIB_DATA_PARALLEL_FLAT_TENSORS_H_

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <vector>

namespace lockstep {

// On CUDA all work is queued on the current streams; the host never waits. Throws c10::Error like LibTorch.
class FlatTensors {
 public:
  // Allocates memory on `device` for tensors of the sizes, strides and dtypes of `like`, which must be without gaps in
  // memory.
  FlatTensors(const std::vector<at::Tensor>& like, c10::Device device);

  // Returns views of this memory that match `like`, in its order.
  const std::vector<at::Tensor>& views() const { return views_; }

  // Writes `tensors`, which must be on this device, into the views.
  void Pack(const std::vector<at::Tensor>& tensors);

  // Copies the contents of `other`, which must have been made from the same `like`. Copies even if both are on the same
  // device. Returns the number of bytes copied.
  uint64_t CopyFrom(const FlatTensors& other);

  // Adds the contents of `other`, which must be on the same device.
  void Add(const FlatTensors& other);

 private:
  struct Piece {
    at::Tensor memory;          // (numel of all its tensors)
    std::vector<size_t> index;  // indices of its tensors among the views
  };

  std::vector<Piece> pieces_;  // one piece per dtype
  std::vector<at::Tensor> views_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DATA_PARALLEL_FLAT_TENSORS_H_
