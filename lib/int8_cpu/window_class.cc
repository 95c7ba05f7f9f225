#include "lib/int8_cpu/window_class.h"

#include <algorithm>

namespace lockstep {
namespace {

TapRange ToRange(const Taps& taps) { return {static_cast<uint32_t>(taps.first), static_cast<uint32_t>(taps.last)}; }

WindowClass& ClassOf(std::vector<WindowClass>& classes, TapRange rows, TapRange columns) {
  const auto found = std::find_if(classes.begin(), classes.end(), [&](const WindowClass& window_class) {
    return window_class.rows == rows && window_class.columns == columns;
  });
  return found != classes.end() ? *found : classes.emplace_back(WindowClass{rows, columns, {}});
}

void AddPixel(const LayerShape& shape, uint32_t y, uint32_t x, size_t output, std::vector<WindowClass>& classes) {
  const TapRange rows = ToRange(RealTaps(shape, y, shape.in_height));
  const TapRange columns = ToRange(RealTaps(shape, x, shape.in_width));
  const size_t row = size_t{y} * shape.stride + rows.first - shape.padding;
  const size_t column = size_t{x} * shape.stride + columns.first - shape.padding;
  const size_t input = (row * shape.in_width + column) * shape.in_channels;
  ClassOf(classes, rows, columns)
      .pixels.push_back({static_cast<uint32_t>(input), static_cast<uint32_t>(output * shape.out_channels)});
}

}  // namespace

std::vector<WindowClass> WindowClasses(const LayerShape& shape, PixelOutputs outputs) {
  const bool pooled = outputs == PixelOutputs::kPooled;
  const Extent out = pooled ? shape.Pooled() : shape.Out();
  const uint32_t window = pooled ? shape.pool : 1;
  std::vector<WindowClass> classes;
  for (uint32_t y = 0; y < out.height; ++y) {
    for (uint32_t x = 0; x < out.width; ++x) {
      for (uint32_t i = 0; i < window * window; ++i) {
        AddPixel(shape, y * window + i / window, x * window + i % window, size_t{y} * out.width + x, classes);
      }
    }
  }
  return classes;
}

}  // namespace lockstep
