// A batch from device 0 to several, and their outputs back (torch/nn/parallel/scatter_gather.py).
#ifndef LOCKSTEP_LIB_DIST_SCATTER_GATHER_H_
#define LOCKSTEP_LIB_DIST_SCATTER_GATHER_H_

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <vector>

namespace lockstep {

// Both add the bytes that travel to `bytes`. Copies are queued on the current streams; between two "devices" that are
// both the CPU they are real ones. Throw c10::Error as LibTorch does.

// The parts of `whole`, which is on devices[0], as torch.chunk makes them over as many devices: ceil(n / N) rows each
// but for the last, so that there may be fewer parts than devices. The first one stays where it is; the others have its
// order in memory.
std::vector<at::Tensor> Scatter(const at::Tensor& whole, const std::vector<c10::Device>& devices, uint64_t& bytes);

// The parts' rows one after another, on the device of the first one, which is copied, too, but does not travel. No
// gradient flows through it.
at::Tensor Gather(const std::vector<at::Tensor>& parts, uint64_t& bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_SCATTER_GATHER_H_
