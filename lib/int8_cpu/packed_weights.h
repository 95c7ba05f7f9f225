// PackedWeights: a layer's weights in the order in which tiles read them.
//
// Outputs are divided into groups, and groups into blocks as wide as a tile.
#ifndef LOCKSTEP_LIB_INT8_CPU_PACKED_WEIGHTS_H_
#define LOCKSTEP_LIB_INT8_CPU_PACKED_WEIGHTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/int8/integer_reference.h"
#include "lib/int8_cpu/aligned_buffer.h"
#include "lib/int8_cpu/packed_shape.h"
#include "lib/int8_cpu/step_layout.h"
#include "lib/int8_cpu/tile_kernels.h"

namespace lockstep {

struct OutputBlock {
  uint32_t first_output;  // index in the layer
  uint32_t outputs;       // outputs without padding
  uint32_t panels;
  size_t weights;  // bytes from the first block's weights
};

struct OutputGroup {
  uint32_t first_output;
  uint32_t outputs;
  std::vector<OutputBlock> blocks;
};

class PackedWeights {
 public:
  PackedWeights(const IntegerLayer& layer, const PackedShape& shape, const StepLayout& layout,
                const TileKernels& kernels);

  const std::vector<OutputGroup>& Groups() const { return groups_; }
  const void* Weights(const OutputBlock& block) const { return weights_.data() + block.weights; }

 private:
  class Packer;

  std::vector<OutputGroup> groups_;
  AlignedBuffer weights_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CPU_PACKED_WEIGHTS_H_
