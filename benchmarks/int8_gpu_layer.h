// Weighted layers of int8 networks for the GPU benchmark: their inputs, their memory, and their expected outputs.
#ifndef LOCKSTEP_BENCHMARKS_INT8_GPU_LAYER_H_
#define LOCKSTEP_BENCHMARKS_INT8_GPU_LAYER_H_

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/cuda/device_buffer.h"
#include "lib/int8/integer_reference.h"
#include "lib/int8_cuda/cuda_convolution.h"

namespace lockstep {

// Inputs on the device: value `i` of a tensor, in memory order, is in [0, 127], like after ReLU. The values repeat with
// a prime period, so that no two images of a batch are the same.
int8_t InputValue(size_t i);
const int8_t* InputValues(size_t first);  // at least a million values
absl::StatusOr<DeviceBuffer> MakeInputs(size_t size, cudaStream_t stream);

// FNV-1a, 64 bits, as 16 hexadecimal digits: http://www.isthe.com/chongo/tech/comp/fnv/.
std::string Fnv1a(const void* bytes, size_t size);

// A weighted layer without its max-pooling, and the addition that it ends with, if any.
class Int8GpuLayer {
 public:
  Int8GpuLayer(std::string name, IntegerLayer layer, int32_t input_zero_point);
  Int8GpuLayer(std::string name, IntegerLayer layer, int32_t input_zero_point, IntegerLayer addition,
               bool own_is_first);

  const std::string& name() const { return name_; }  // such as "resnet18/layer1.0.conv2+add"
  const LayerShape& shape() const { return layer_.shape; }
  bool adds() const { return addition_.has_value(); }
  // Returns the task for MakeCudaConvolution. This object must outlive the task, which refers to it.
  ConvolutionTask Task() const;

  // One layer's memory on the device, and its launch.
  struct OnDevice {
    std::unique_ptr<CudaConvolution> convolution;
    DeviceBuffer input, addend, output;
    uint32_t images;

    absl::Status Launch(cudaStream_t stream) const;
  };
  // Takes ownership of `convolution`, which must be made from Task(), tunes it and fills the inputs. Errors: CUDA's.
  absl::StatusOr<OnDevice> Place(std::unique_ptr<CudaConvolution> convolution, uint32_t images,
                                 cudaStream_t stream) const;

  // Returns the output of all images, without pad channels: one byte per value, or for sums four bytes, the lowest
  // first.
  absl::StatusOr<std::vector<uint8_t>> ReadOutput(const OnDevice& placed, cudaStream_t stream) const;

  // Returns OK if the first two images and the last one are those of CpuNetwork and of the host's addition. Aborted,
  // naming the first image that differs.
  absl::Status CheckOutput(const std::vector<uint8_t>& output, uint32_t images) const;

 private:
  size_t ValueBytes() const { return layer_.WritesSums() ? sizeof(int32_t) : 1; }
  absl::StatusOr<std::vector<uint8_t>> Expected(uint32_t image) const;

  const std::string name_;
  const IntegerLayer layer_;
  const int32_t input_zero_point_;
  const std::optional<IntegerLayer> addition_;
  const bool own_is_first_ = true;
  mutable std::map<uint32_t, std::vector<uint8_t>> expected_;  // expected output by image
};

// Returns each distinct weighted layer of `network` once, as it is in the network; a layer that an addition is fused
// into also with the addition. Names: `network`/LAYER and `network`/LAYER+add.
std::vector<std::unique_ptr<Int8GpuLayer>> DistinctLayers(const std::string& name, const IntegerNetwork& network);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCHMARKS_INT8_GPU_LAYER_H_
