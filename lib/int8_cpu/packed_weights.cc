#include "lib/int8_cpu/packed_weights.h"

#include <algorithm>
#include <cstring>

namespace lockstep {

// Writes the weights of blocks into their memory.
class PackedWeights::Packer {
 public:
  Packer(const IntegerLayer& layer, const PackedShape& shape, const StepLayout& layout, const TileKernels& kernels)
      : layer_(layer), shape_(shape), layout_(layout), kernels_(kernels) {}

  void Pack(const OutputBlock& block, uint8_t* weights) const {
    for (const TapRange& columns : layout_.Packings()) {
      for (uint32_t row = 0; row < shape_.rows; ++row) {
        PackRow(block, layout_.FirstStep(columns) + row * layout_.RowSteps(columns), row, columns, weights);
      }
    }
  }

 private:
  void PackRow(const OutputBlock& block, size_t first_step, uint32_t row, TapRange columns, uint8_t* weights) const {
    const size_t terms = size_t{columns.Count()} * shape_.column_terms;
    for (uint32_t o = 0; o < block.outputs; ++o) {
      for (size_t t = 0; t < terms; ++t) {
        const size_t at = Position(block, o, first_step + t / kernels_.depth, t % kernels_.depth);
        const size_t term = columns.first * size_t{shape_.column_terms} + t;
        const int16_t weight = PackedWeight(layer_, shape_, block.first_output + o, row, term);
        std::memcpy(weights + at * kernels_.value_bytes, &weight, kernels_.value_bytes);
      }
    }
  }

  // Returns the position in the block of one weight of a step; see TileKernels::by_output.
  size_t Position(const OutputBlock& block, uint32_t output, size_t step, size_t in_step) const {
    const size_t steps = layout_.Steps(), depth = kernels_.depth, lanes = kernels_.lanes, quad = kernels_.quad;
    if (kernels_.by_output) {
      return (output * steps + step) * depth + in_step;
    }
    const size_t first_panel = output / lanes / kernels_.width * kernels_.width;
    const size_t width = std::min<size_t>(kernels_.width, block.panels - first_panel);
    const size_t vector = first_panel * steps + step * width + output / lanes - first_panel;
    return vector * lanes * depth + in_step / quad * lanes * quad + output % lanes * quad + in_step % quad;
  }

  const IntegerLayer& layer_;
  const PackedShape& shape_;
  const StepLayout& layout_;
  const TileKernels& kernels_;
};

PackedWeights::PackedWeights(const IntegerLayer& layer, const PackedShape& shape, const StepLayout& layout,
                             const TileKernels& kernels) {
  const uint32_t outputs = layer.shape.out_channels * shape.merged;
  const uint32_t block_outputs = kernels.max_panels * kernels.lanes;
  size_t bytes = 0;
  for (uint32_t first = 0; first < outputs; first += block_outputs) {
    if (first % (block_outputs * kernels.max_blocks) == 0) {
      groups_.push_back({first, 0, {}});
    }
    const uint32_t count = std::min(block_outputs, outputs - first);
    const uint32_t panels = DividedUp(count, kernels.lanes);
    groups_.back().outputs += count;
    groups_.back().blocks.push_back({first, count, panels, bytes});
    bytes += layout.Steps() * panels * kernels.lanes * kernels.depth * kernels.value_bytes;
  }
  weights_ = AlignedBuffer(bytes);
  const Packer packer(layer, shape, layout, kernels);
  for (const OutputGroup& group : groups_) {
    for (const OutputBlock& block : group.blocks) {
      packer.Pack(block, weights_.data() + block.weights);
    }
  }
}

}  // namespace lockstep
