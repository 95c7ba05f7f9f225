#include "lib/int8_cpu/start_values.h"

#include <cstddef>

namespace lockstep {

StartValues::StartValues(const IntegerLayer& layer, int32_t zero) : layer_(layer), zero_(static_cast<uint32_t>(zero)) {
  const LayerShape& shape = layer.shape;
  const size_t area = size_t{shape.kernel} * shape.kernel;
  tap_sums_.assign(shape.out_channels * area, 0);
  for (size_t i = 0; i < layer.weight.size(); ++i) {
    tap_sums_[i / (area * shape.in_channels) * area + i % area] += static_cast<uint32_t>(int32_t{layer.weight[i]});
  }
}

std::vector<int32_t> StartValues::Of(const WindowClass& window, uint32_t lanes) const {
  const uint32_t outputs = layer_.shape.out_channels, kernel = layer_.shape.kernel;
  std::vector<int32_t> start((size_t{outputs} + lanes - 1) / lanes * lanes, 0);
  for (uint32_t o = 0; o < outputs; ++o) {
    uint32_t sum = 0;
    for (uint32_t i = window.rows.first; i < window.rows.last; ++i) {
      for (uint32_t j = window.columns.first; j < window.columns.last; ++j) {
        sum += tap_sums_[(size_t{o} * kernel + i) * kernel + j];
      }
    }
    const uint32_t bias = layer_.bias.empty() ? 0 : static_cast<uint32_t>(layer_.bias[o]);
    start[o] = static_cast<int32_t>(bias - zero_ * sum);
  }
  return start;
}

}  // namespace lockstep
