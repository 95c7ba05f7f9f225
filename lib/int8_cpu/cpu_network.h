// A network in int8 on a CPU: the same bits as RunInteger (lib/int8/integer_reference.h), as fast as the CPU can.
#ifndef LOCKSTEP_LIB_INT8_CPU_CPU_NETWORK_H_
#define LOCKSTEP_LIB_INT8_CPU_CPU_NETWORK_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/int8/integer_reference.h"
#include "lib/int8_cpu/isa.h"
#include "lib/int8_cpu/network_plan.h"
#include "lib/int8_cpu/packed_convolution.h"
#include "lib/int8_cpu/tile_kernels.h"

namespace lockstep {

class CpuNetwork {
 public:
  // Called after each layer but one that writes sums, on the calling thread: its index, and what it wrote for all images,
  // int8 (count, Pooled()).
  using Observer = std::function<void(size_t layer, const std::vector<int8_t>& values)>;

  // Packs the weights, once. `network` must be one whose sums cannot overflow (quantized_record.h).
  // FailedPrecondition: this CPU lacks `isa`, or shapes and parameters do not belong together. InvalidArgument: less than
  // one thread.
  static absl::StatusOr<std::unique_ptr<CpuNetwork>> Make(const IntegerNetwork& network, Isa isa, int threads = 1);

  // Make() of a CPU that has what `kernels` want. InvalidArgument and FailedPrecondition: as above.
  static absl::StatusOr<std::unique_ptr<CpuNetwork>> MakeOf(const IntegerNetwork& network, const TileKernels& kernels,
                                                            int threads = 1);

  // images: int8 (count, height, width, channels) as the first layer reads them. logits: int32 (count, values that the
  // last layer writes), int8 values or sums. Results depend neither on the threads nor on which images are together.
  // With `observe` one thread does each layer by itself, on all images at once, which takes longer.
  // Several threads may call it.
  void Run(const int8_t* images, size_t count, int32_t* logits, const Observer& observe = nullptr) const;

  size_t LogitsPerImage() const { return network_.layers.back().shape.Pooled().Size(); }

 private:
  class Worker;

  CpuNetwork(const IntegerNetwork& network, const TileKernels& kernels, int threads);
  void MakeLayers();
  size_t ImagesAtOnce() const;

  const IntegerNetwork network_;
  const int threads_;
  const TileKernels& kernels_;
  const NetworkPlan fused_;
  const NetworkPlan unfused_;
  std::vector<std::unique_ptr<PackedConvolution>> convolutions_;  // of each layer; null of one without weights
  std::vector<AddTask> adds_;                                     // of each layer
  std::vector<std::vector<uint8_t>> add_tables_;                  // of each layer; empty where none is wanted
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CPU_CPU_NETWORK_H_
