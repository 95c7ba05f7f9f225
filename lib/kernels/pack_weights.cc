#include "lib/kernels/pack_weights.h"

#include <algorithm>

namespace lockstep {
namespace {

size_t Positions(const WeightShape& shape) { return static_cast<size_t>(shape.filter_rows) * shape.filter_columns; }

// Returns the number of packed values of one output channel, including zeros.
size_t PackedFilter(const WeightShape& shape) { return Positions(shape) * shape.in_channels + shape.zeros; }

// Calls move(index in (K, C, R, S), index in (K, R * S * C + zeros)) for every weight of the network.
template <typename Move>
void ForEachWeight(const WeightShape& shape, Move move) {
  const size_t positions = Positions(shape);
  for (size_t k = 0; k < shape.out_channels; ++k) {
    for (size_t c = 0; c < shape.in_channels; ++c) {
      for (size_t position = 0; position < positions; ++position) {
        move((k * shape.in_channels + c) * positions + position,
             k * PackedFilter(shape) + position * shape.in_channels + c);
      }
    }
  }
}

}  // namespace

size_t WeightCount(const WeightShape& shape) { return shape.out_channels * Positions(shape) * shape.in_channels; }

size_t PackedWeightCount(const WeightShape& shape) { return shape.out_channels * PackedFilter(shape); }

void PackWeights(const WeightShape& shape, const float* weights, float* packed) {
  std::fill_n(packed, PackedWeightCount(shape), 0.0f);
  ForEachWeight(shape, [&](size_t in_weights, size_t in_packed) { packed[in_packed] = weights[in_weights]; });
}

void UnpackWeights(const WeightShape& shape, const float* packed, float* weights) {
  ForEachWeight(shape, [&](size_t in_weights, size_t in_packed) { weights[in_weights] = packed[in_packed]; });
}

}  // namespace lockstep
