#include "lib/int8_cuda/packed_weights.h"

#include "lib/int8_cuda/device_layout.h"

namespace lockstep {

uint32_t PackedDepth(const LayerShape& shape) {
  return RoundedUp(shape.kernel * shape.kernel * PaddedChannels(shape.in_channels), kStepBytes);
}

uint32_t PackedRows(const LayerShape& shape) { return RoundedUp(shape.out_channels, kMaxTileOutputs); }

uint32_t OutputOfRow(ProductKind kind, uint32_t row) {
  if (kind == ProductKind::kQuads) {  // a thread sums rows t, t + 16, t + 32 and t + 48 of 64
    const uint32_t thread = row % 16, of_thread = row / 16 % 4;
    return row / 64 * 64 + thread * 4 + of_thread;
  }
  // A thread has columns 2 t and 2 t + 1 of four matrices, each eight columns wide.
  const uint32_t matrix = row / 8 % 4, column = row % 8;
  return row / 32 * 32 + column / 2 * 8 + matrix * 2 + column % 2;
}

std::vector<int8_t> PackWeightsFor(ProductKind kind, const IntegerLayer& layer) {
  const LayerShape& shape = layer.shape;
  const size_t depth = PackedDepth(shape), area = size_t{shape.kernel} * shape.kernel;
  std::vector<int8_t> packed(PackedRows(shape) * depth, 0);
  for (uint32_t row = 0; row < PackedRows(shape); ++row) {
    const size_t output = OutputOfRow(kind, row);
    for (size_t c = 0; output < shape.out_channels && c < shape.in_channels; ++c) {
      for (size_t tap = 0; tap < area; ++tap) {
        packed[row * depth + tap * PaddedChannels(shape.in_channels) + c] =
            layer.weight[(output * shape.in_channels + c) * area + tap];
      }
    }
  }
  return packed;
}

}  // namespace lockstep
