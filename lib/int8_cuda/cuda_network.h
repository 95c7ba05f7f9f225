// CudaNetwork: an int8 network on a GPU, with the same bits as RunInteger (lib/int8/integer_reference.h).
//
// A batch runs as one CUDA graph, which is captured when the first such batch is run. Before the capture, each layer's
// kernel is chosen by timing for the batch's number of images.
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
#include "lib/cuda/captured_graph.h"
#include "lib/cuda/device_buffer.h"
#include "lib/int8/integer_reference.h"
#include "lib/int8/network_plan.h"
#include "lib/int8_cuda/cuda_convolution.h"
#include "lib/int8_cuda/gpu_isa.h"
#include "lib/int8_cuda/network_memory.h"

namespace lockstep {

// Must be used by one thread at a time, and calls on several streams must not overlap, because they share the network's
// memory. CUDA's errors are those of CudaStatus (lib/cuda/cuda_status.h).
class CudaNetwork {
 public:
  using Observer = IntegerBatchObserver;

  // Packs the weights, once, for the current device, and allocates memory for `max_images` images at once. The sums of
  // `network` must not be able to overflow (quantized_record.h). Returns the errors of CheckIntegerNetwork,
  // FailedPreconditionError if the GPU lacks `isa`, InvalidArgumentError if max_images is 0 or makes more than 2^31
  // pixels, and ResourceExhaustedError or UnavailableError from CUDA.
  static absl::StatusOr<std::unique_ptr<CudaNetwork>> Make(const IntegerNetwork& network, GpuIsa isa,
                                                           uint32_t max_images);

  // Runs on host memory, any number of images. images: int8 (count, height, width, channels), the first layer's input.
  // logits: out, int32 (count, LogitsPerImage()), int8 values or sums. Results do not depend on the division into
  // batches. With `observe`, each layer runs unfused, on all images at once, in separate memory.
  absl::Status Run(const int8_t* images, size_t count, int32_t* logits, const Observer& observe = nullptr);

  // Runs on device memory, and returns when all work is launched on `stream`, which must not be under capture. pixels:
  // uint8 (count, channels, height, width); table: int8 (channels, 256), the value of each byte; logits: as in Run. The
  // first call with these four arguments captures a graph, which later calls launch. Returns InvalidArgumentError if
  // `count` is above max_images.
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

  // Arguments of a graph: pixels and their table, or null for images_; number of images; logits.
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
  std::vector<std::unique_ptr<CudaConvolution>> convolutions_;  // one per layer; null: layer without weights
  std::optional<NetworkMemory> memory_;                         // memory of the fused plan
  DeviceBuffer images_;                                         // images of Run()
  DeviceBuffer logits_;                                         // int32 (max_images, LogitsPerImage())
  OwnedStream stream_;
  std::set<uint32_t> tuned_;  // numbers of images that were tuned
  std::map<Call, CapturedGraph> graphs_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CUDA_CUDA_NETWORK_H_
