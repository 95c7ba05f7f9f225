// CpuNetwork: an int8 network on a CPU, as fast as possible, with the bits of RunInteger
// (lib/int8/integer_reference.h).
#ifndef LOCKSTEP_LIB_INT8_CPU_CPU_NETWORK_H_
#define LOCKSTEP_LIB_INT8_CPU_CPU_NETWORK_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/int8/integer_reference.h"
#include "lib/int8/network_plan.h"
#include "lib/int8_cpu/isa.h"
#include "lib/int8_cpu/packed_convolution.h"
#include "lib/int8_cpu/tile_kernels.h"

namespace lockstep {

class CpuNetwork {
 public:
  // Called on the calling thread, once for each layer, with all images.
  using Observer = IntegerBatchObserver;

  // Packs the weights, once. Returns FailedPreconditionError if this CPU lacks `isa` or CheckIntegerNetwork
  // (lib/int8/integer_network_check.h) refuses the network, and InvalidArgumentError if `threads` is below 1.
  static absl::StatusOr<std::unique_ptr<CpuNetwork>> Make(const IntegerNetwork& network, Isa isa, int threads = 1);

  // Makes a network with the given kernels, which this CPU must be able to run. Returns the errors of Make().
  static absl::StatusOr<std::unique_ptr<CpuNetwork>> MakeOf(const IntegerNetwork& network, const TileKernels& kernels,
                                                            int threads = 1);

  // Runs any number of images. images: int8 (count, height, width, channels), the first layer's input. logits: out,
  // int32 (count, LogitsPerImage()), int8 values or sums. Results depend neither on the threads nor on the division
  // into batches. With `observe`, one thread runs each layer unfused, on all images at once, which takes longer. If the
  // system has no more threads, those that could be started do the work, at least the calling one. May be called by
  // several threads.
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
  std::vector<std::unique_ptr<PackedConvolution>> convolutions_;  // one per layer; null: layer without weights
  std::vector<AddTask> adds_;                                     // one per layer
  std::vector<std::vector<uint8_t>> add_tables_;                  // one per layer; empty if not needed
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CPU_CPU_NETWORK_H_
