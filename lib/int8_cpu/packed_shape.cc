#include "lib/int8_cpu/packed_shape.h"

#include <algorithm>
#include <vector>

#include "lib/int8_cpu/window_class.h"

namespace lockstep {
namespace {

bool IsMonotone(const std::vector<float>& multiplier) {
  return std::all_of(multiplier.begin(), multiplier.end(), [](float m) { return m >= 0; });
}

// Returns true if two pixels' outputs take no more vectors than one pixel's, and are pooled together.
bool MergesPixels(size_t window, uint32_t outputs, const TileKernels& kernels) {
  const uint32_t panels = DividedUp(outputs, kernels.lanes);
  return window == 4 && DividedUp(2 * size_t{outputs}, kernels.lanes) == panels && panels <= kernels.max_panels;
}

}  // namespace

PackedShape MakePackedShape(const IntegerLayer& layer, const TileKernels& kernels) {
  const LayerShape& shape = layer.shape;
  const bool one_row = shape.in_width == shape.kernel && shape.padding == 0;
  PackedShape packed;
  packed.pools = CanPoolInOrder(shape) && size_t{shape.pool} * shape.pool <= kMaxWindow && !layer.WritesSums() &&
                 IsMonotone(layer.multiplier);
  packed.window = packed.pools ? size_t{shape.pool} * shape.pool : 1;
  packed.rows = one_row ? 1 : shape.kernel;
  packed.row_columns = shape.kernel;
  packed.column_terms = shape.in_channels * (one_row ? shape.kernel : 1);
  if (MergesPixels(packed.window, shape.out_channels, kernels)) {
    packed.merged = 2;
    packed.window /= packed.merged;
    packed.row_columns += shape.stride;
  }
  return packed;
}

int8_t PackedWeight(const IntegerLayer& layer, const PackedShape& packed, uint32_t output, uint32_t row, size_t term) {
  const LayerShape& shape = layer.shape;
  const size_t skipped = output / shape.out_channels * size_t{shape.stride} * shape.in_channels;  // offset of a second
                                                                                                  // pixel
  const size_t terms = packed.rows == 1 ? shape.Terms() : shape.Terms() / shape.kernel;           // terms of a row
  if (term < skipped || term - skipped >= terms) {
    return 0;
  }
  const size_t tap = row * size_t{shape.kernel} + (term - skipped) / shape.in_channels;
  const size_t first = output % shape.out_channels * size_t{shape.in_channels} + (term - skipped) % shape.in_channels;
  return layer.weight[first * shape.kernel * shape.kernel + tap];
}

}  // namespace lockstep
