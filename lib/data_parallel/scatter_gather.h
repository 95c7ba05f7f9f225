// Copies the parts of a batch from device 0 to several devices, and their outputs back
// (torch/nn/parallel/scatter_gather.py).
#ifndef LOCKSTEP_LIB_DATA_PARALLEL_SCATTER_GATHER_H_
#define LOCKSTEP_LIB_DATA_PARALLEL_SCATTER_GATHER_H_

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <vector>

namespace lockstep {

// Scatter and Gather add the number of copied bytes to `bytes`. Copies are queued on the current streams. If two
// devices are both the CPU, the copies are still made. Both functions throw c10::Error like LibTorch.

// Returns the parts of `whole`, which must be on devices[0], divided by torch.chunk among the devices: ceil(n / N) rows
// each except for the last part, so there may be fewer parts than devices. The first part is not copied; the others
// keep its memory order.
std::vector<at::Tensor> Scatter(const at::Tensor& whole, const std::vector<c10::Device>& devices, uint64_t& bytes);

// Returns the parts' rows one after another, on the device of the first part. The first part is copied too, but its
// bytes are not counted. Gradients do not flow through the result.
at::Tensor Gather(const std::vector<at::Tensor>& parts, uint64_t& bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DATA_PARALLEL_SCATTER_GATHER_H_
