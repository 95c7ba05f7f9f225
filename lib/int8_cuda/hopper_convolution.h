// Convolutions by Hopper's own instructions: tensor cores that read shared memory (wgmma) and bulk copies into it. For
// layers whose channels are whole lines of memory; the others are done as on any GPU (make_convolution.h).
#ifndef LOCKSTEP_LIB_INT8_CUDA_HOPPER_CONVOLUTION_H_
#define LOCKSTEP_LIB_INT8_CUDA_HOPPER_CONVOLUTION_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/int8_cuda/cuda_convolution.h"
#include "lib/int8_cuda/epilogue_tables.h"
#include "lib/int8_cuda/hopper_kernel.h"
#include "lib/kernels/device_buffer.h"

namespace lockstep {

// How a launch is cut.
struct HopperConfig {
  uint32_t pixels = 256;  // of a tile: 64, 128 or 256
  uint32_t splits = 1;    // blocks that share a tile's depth: 1, alone also 2, 4 or 8
  HopperTeam team = HopperTeam::kInTurn;
};

std::string DescribeHopperConfig(const HopperConfig& config);  // "64 pixels by 64 channels, alone, depth in 2"

// Whether there is a kernel for a layer: a convolution of 3x3 with a padding of 1 or of 1x1 without, stride 1 or 2, of
// square images of 4, 8, 16 or 32 pixels a side after it, 64 input channels or a multiple of 128, a multiple of 64 output
// channels; also 3x3 of stride 1 and 16 input channels or fewer, of 8 pixels a side or more; no max-pooling; no float_bias;
// int8 results that FastEpilogue (fast_requantize.cuh) fits.
bool HopperCovers(const ConvolutionTask& task);

// The ways to cut a covered layer over `images` images on a GPU with that many multiprocessors; the first one is a guess
// at the fastest.
std::vector<HopperConfig> HopperConfigs(const LayerShape& shape, uint32_t images, uint32_t multiprocessors);

class HopperConvolution : public CudaConvolution {
 public:
  // Packs the weights and copies them to the current device. ResourceExhausted when there is no memory for them.
  // FailedPrecondition: not covered.
  static absl::StatusOr<std::unique_ptr<HopperConvolution>> Make(const ConvolutionTask& task);

  // Cut in the way that Tune found for so many images, else the first of HopperConfigs.
  absl::Status Launch(const int8_t* input, const int8_t* addend, void* output, uint32_t images,
                      cudaStream_t stream) const override;
  absl::Status LaunchWith(const HopperConfig& config, const int8_t* input, const int8_t* addend, void* output,
                          uint32_t images, cudaStream_t stream) const;

  // Times all ways over so many images on `stream` (graph_timer.h), with memory of its own. `with_addend`: as it will be
  // launched.
  absl::Status Tune(uint32_t images, bool with_addend, cudaStream_t stream) override;

 private:
  HopperConvolution(const LayerShape& shape, DeviceEpilogue epilogue, uint32_t multiprocessors);

  LayerShape shape_;
  DeviceEpilogue epilogue_;
  DeviceBuffer weights_;
  uint32_t multiprocessors_;
  std::map<uint32_t, HopperConfig> tuned_;  // by images
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CUDA_HOPPER_CONVOLUTION_H_
