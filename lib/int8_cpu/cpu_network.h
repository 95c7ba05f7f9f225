// A network in int8 on a CPU: the same bits as RunInteger (lib/int8/integer_reference.h), as fast as the CPU can.
#ifndef LOCKSTEP_LIB_INT8_CPU_CPU_NETWORK_H_
#define LOCKSTEP_LIB_INT8_CPU_CPU_NETWORK_H_

#include <cstddef>
#include <cstdint>
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
  // Called on the calling thread, once for each layer, with all images.
  using Observer = IntegerBatchObserver;

  // Packs the weights, once. FailedPrecondition: this CPU lacks `isa`, or the network is not as CheckIntegerNetwork wants
  // it (lib/int8/integer_network_check.h). InvalidArgument: less than one thread.
  static absl::StatusOr<std::unique_ptr<CpuNetwork>> Make(const IntegerNetwork& network, Isa isa, int threads = 1);

  // Make() of a CPU that has what `kernels` want. InvalidArgument and FailedPrecondition: as above.
  static absl::StatusOr<std::unique_ptr<CpuNetwork>> MakeOf(const IntegerNetwork& network, const TileKernels& kernels,
                                                            int threads = 1);

  // images: int8 (count, height, width, channels) as the first layer reads them. logits: int32 (count, values that the
  // last layer writes), int8 values or sums. Results depend neither on the threads nor on which images are together.
  // With `observe` one thread does each layer by itself, on all images at once, which takes longer.
  // If the system has no more threads, those that could be started do the work, at least the calling one.
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
