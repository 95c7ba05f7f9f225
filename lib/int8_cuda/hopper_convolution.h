// HopperConvolution: convolutions by Hopper's own instructions: tensor cores that read shared memory (wgmma), and bulk
// copies into shared memory (TMA). For layers whose channels fill whole lines of memory; other layers run as on any GPU
// (make_convolution.h).
#ifndef LOCKSTEP_LIB_INT8_CUDA_HOPPER_CONVOLUTION_H_
#define LOCKSTEP_LIB_INT8_CUDA_HOPPER_CONVOLUTION_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/cuda/device_buffer.h"
#include "lib/int8_cuda/cuda_convolution.h"
#include "lib/int8_cuda/epilogue_tables.h"
#include "lib/int8_cuda/hopper_kernel.h"

namespace lockstep {

// Configuration of a launch.
struct HopperConfig {
  uint32_t pixels = 256;  // pixels per tile: 64, 128 or 256
  uint32_t splits = 1;    // blocks that share a tile's depth: 1; with kAlone also 2, 4 or 8
  HopperTeam team = HopperTeam::kInTurn;
};

std::string DescribeHopperConfig(const HopperConfig& config);  // such as "64 pixels by 64 channels, alone, depth in 2"

// Returns true if there is a kernel for a layer. The layer must have:
// - a 3x3 filter with a padding of 1 or a 1x1 filter without padding, of stride 1 or 2;
// - square output images of 4, 8, 16 or 32 pixels a side;
// - 64 input channels or a multiple of 128; or 16 or fewer with 3x3, stride 1 and 8 or more pixels a side; but not 64
//   with 3x3, stride 1 and 4 pixels a side;
// - a multiple of 64 output channels;
// - no max-pooling, no float_bias, and int8 results that FastEpilogue (fast_requantize.cuh) fits.
bool HopperCovers(const ConvolutionTask& task);

// Returns the configurations of a covered layer for `images` images on a GPU with `multiprocessors` SMs; the first one
// is a guess at the fastest.
std::vector<HopperConfig> HopperConfigs(const LayerShape& shape, uint32_t images, uint32_t multiprocessors);

class HopperConvolution : public CudaConvolution {
 public:
  // Packs the weights and copies them to the current device. Returns ResourceExhaustedError if there is no memory for
  // them, and FailedPreconditionError if the layer is not covered.
  static absl::StatusOr<std::unique_ptr<HopperConvolution>> Make(const ConvolutionTask& task);

  // Uses the configuration that Tune found for this number of images, else the first one of HopperConfigs.
  absl::Status Launch(const int8_t* input, const int8_t* addend, void* output, uint32_t images,
                      cudaStream_t stream) const override;
  absl::Status LaunchWith(const HopperConfig& config, const int8_t* input, const int8_t* addend, void* output,
                          uint32_t images, cudaStream_t stream) const;

  // Times all configurations for `images` images on `stream` (graph_timer.h), with memory of its own. `with_addend`:
  // true if Launch will be given an addend.
  absl::Status Tune(uint32_t images, bool with_addend, cudaStream_t stream) override;

 private:
  HopperConvolution(const LayerShape& shape, DeviceEpilogue epilogue, uint32_t multiprocessors);

  LayerShape shape_;
  DeviceEpilogue epilogue_;
  DeviceBuffer weights_;
  uint32_t multiprocessors_;
  std::map<uint32_t, HopperConfig> tuned_;  // keyed by number of images
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CUDA_HOPPER_CONVOLUTION_H_
