// A network in int8 on a GPU: the same bits as RunInteger (lib/int8/integer_reference.h).
//
// All that a batch needs is one CUDA graph, captured when the first such batch is run. Before that each layer's kernel is
// chosen by timing for its number of images.
#ifndef LOCKSTEP_LIB_INT8_CUDA_CUDA_NETWORK_H_
#define LOCKSTEP_LIB_INT8_CUDA_CUDA_NETWORK_H_

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/int8/integer_reference.h"
#include "lib/int8_cpu/network_plan.h"
#include "lib/int8_cuda/cuda_convolution.h"
#include "lib/int8_cuda/gpu_isa.h"
#include "lib/int8_cuda/network_memory.h"
#include "lib/kernels/captured_graph.h"
#include "lib/kernels/device_buffer.h"

namespace lockstep {

// One thread at a time may use it, and calls on several streams may not overlap: they share its memory. Errors of CUDA
// are those of CudaStatus (lib/kernels/cuda_status.h).
class CudaNetwork {
 public:
  using Observer = IntegerBatchObserver;

  // Packs the weights, once, for the current device, and takes memory for `max_images` images at once. `network` must be
  // one whose sums cannot overflow (quantized_record.h). FailedPrecondition: the GPU lacks `isa`, or as
  // CheckIntegerNetwork. InvalidArgument: no image at once, or more than 2^31 pixels. ResourceExhausted, Unavailable.
  static absl::StatusOr<std::unique_ptr<CudaNetwork>> Make(const IntegerNetwork& network, GpuIsa isa,
                                                           uint32_t max_images);

  // On host memory, any number of images. images: int8 (count, height, width, channels) as the first layer reads them.
  // logits: int32 (count, values that the last layer writes), int8 values or sums, written. Results do not depend on which
  // images are together. With `observe` each layer is by itself, on all images at once, in memory of its own.
  absl::Status Run(const int8_t* images, size_t count, int32_t* logits, const Observer& observe = nullptr);

  // On device memory; returns when all is launched on `stream`, which may not be one that is being captured. pixels:
  // uint8 (count, channels, height, width); table: int8 (channels, 256), what each byte becomes; logits as above. The
  // first call with these four captures a graph, which later ones launch. InvalidArgument: more than max_images.
  absl::Status RunOnDevice(const uint8_t* pixels, const int8_t* table, uint32_t count, int32_t* logits,
                           cudaStream_t stream);

  GpuIsa isa() const { return isa_; }
  uint32_t max_images() const { return max_images_; }
  size_t LogitsPerImage() const { return network_.layers.back().shape.Pooled().Size(); }

 private:
  struct DestroyStream {
    void operator()(cudaStream_t stream) const { (void)cudaStreamDestroy(stream); }
  };
  using OwnedStream = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, DestroyStream>;

  // What a graph has in it: pixels and their table, or null, images_; how many images; where the logits go.
  using Call = std::tuple<const uint8_t*, const int8_t*, uint32_t, int32_t*>;

  CudaNetwork(const IntegerNetwork& network, GpuIsa isa, uint32_t max_images);
  absl::Status MakeLayers();
  absl::Status MakeMemory();
  absl::Status RunBlock(const int8_t* images, uint32_t count, int32_t* logits);
  absl::Status RunObserved(const int8_t* images, uint32_t count, int32_t* logits, const Observer& observe);
  absl::Status Tune(uint32_t count);
  absl::StatusOr<cudaGraphExec_t> GraphFor(const Call& call);
  absl::Status LaunchAll(const Call& call) const;
  absl::Status LaunchStep(const PlanStep& step, const NetworkMemory& memory, uint32_t count, int32_t* logits,
                          cudaStream_t stream) const;
  absl::Status LaunchLayer(const PlanStep& step, const NetworkMemory& memory, uint32_t count, void* output,
                           cudaStream_t stream) const;
  absl::Status LaunchInt8Logits(const NetworkMemory& memory, uint32_t count, int32_t* logits,
                                cudaStream_t stream) const;
  absl::StatusOr<std::vector<int8_t>> ReadTensor(const NetworkMemory& memory, uint32_t tensor, uint32_t count) const;

  const IntegerNetwork network_;
  const std::vector<LayerShape> shapes_;
  const GpuIsa isa_;
  const uint32_t max_images_;
  const NetworkPlan fused_;
  const NetworkPlan unfused_;
  std::vector<std::unique_ptr<CudaConvolution>> convolutions_;  // of each layer; null of one without weights
  std::optional<NetworkMemory> memory_;                         // of the fused plan
  DeviceBuffer images_;                                         // as Run() has them
  DeviceBuffer logits_;                                         // int32 (max_images, LogitsPerImage())
  OwnedStream stream_;
  std::set<uint32_t> tuned_;  // numbers of images
  std::map<Call, CapturedGraph> graphs_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CUDA_CUDA_NETWORK_H_
