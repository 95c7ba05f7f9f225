// Several tensors in one piece of memory for each dtype, so that they travel in one copy, as torch's
// broadcast_coalesced and reduce_add_coalesced pack them (torch/csrc/cuda/comm.cpp, torch/nn/parallel/comm.py).
#ifndef LOCKSTEP_LIB_DIST_FLAT_TENSORS_H_
#define LOCKSTEP_LIB_DIST_FLAT_TENSORS_H_

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <vector>

namespace lockstep {

// On CUDA all is queued on the current streams; the host never waits. Throws c10::Error as LibTorch does.
class FlatTensors {
 public:
  // Room on `device` for tensors of the sizes, strides and dtypes of `like`; each of them fills its memory without
  // gaps.
  FlatTensors(const std::vector<at::Tensor>& like, c10::Device device);

  // Tensors like `like`, in their order, over this memory.
  const std::vector<at::Tensor>& views() const { return views_; }

  // Writes `tensors`, which are on this device, into the views.
  void Pack(const std::vector<at::Tensor>& tensors);

  // Copies what `other`, which was made like this one, holds on another device. On one device it is a copy, too.
  // Returns the bytes that travelled.
  uint64_t CopyFrom(const FlatTensors& other);

  // Adds what `other` holds on the same device.
  void Add(const FlatTensors& other);

 private:
  struct Piece {
    at::Tensor memory;          // (numel of all its tensors)
    std::vector<size_t> index;  // its tensors' among the views
  };

  std::vector<Piece> pieces_;  // one for each dtype
  std::vector<at::Tensor> views_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_FLAT_TENSORS_H_
