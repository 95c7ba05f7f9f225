#include "lib/cifar/resize_picture.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace lockstep {
namespace {

constexpr int kWeightBits = 22;  // 32 bits hold the sum of 255 * weight, whose weights add up to 2^22

// Range of one axis that is resized and then cut.
struct Axis {
  uint32_t in;      // pixels before
  uint32_t out;     // pixels after, before the cut
  uint32_t first;   // first pixel that the cut keeps
  uint32_t length;  // number of pixels that the cut keeps
};

// Weights of one output pixel.
struct Taps {
  uint32_t first;  // first input pixel
  std::vector<int32_t> weights;
};

// Returns half of an odd or even number, rounded to an even number like Python's round().
uint32_t HalfToEven(uint32_t number) { return number / 2 + (number % 4 == 3 ? 1 : 0); }

// Returns the axis of `in` pixels if the shorter side has `shorter` pixels and becomes `side`.
Axis AxisOf(uint32_t in, uint32_t shorter, uint32_t side) {
  const uint32_t out = in == shorter ? side : static_cast<uint32_t>(uint64_t{side} * in / shorter);
  return {in, out, HalfToEven(out - side), side};
}

Taps TapsOf(const Axis& axis, uint32_t pixel) {
  const double scale = static_cast<double>(axis.in) / axis.out;
  const double support = std::max(scale, 1.0);  // width of half a triangle: 1, more when reducing
  const double center = (pixel + 0.5) * scale;
  const int64_t first = std::max<int64_t>(0, static_cast<int64_t>(center - support + 0.5));
  const int64_t end = std::min<int64_t>(axis.in, static_cast<int64_t>(center + support + 0.5));
  std::vector<double> weights;
  double sum = 0;
  for (int64_t i = first; i < end; ++i) {
    const double distance = std::abs((static_cast<double>(i) - center + 0.5) / support);
    weights.push_back(distance < 1 ? 1 - distance : 0);
    sum += weights.back();
  }
  Taps taps = {static_cast<uint32_t>(first), {}};
  for (const double weight : weights) {
    taps.weights.push_back(static_cast<int32_t>(0.5 + weight / sum * (1 << kWeightBits)));
  }
  return taps;
}

std::vector<Taps> AllTaps(const Axis& axis) {
  std::vector<Taps> all;
  for (uint32_t i = 0; i < axis.length; ++i) {
    all.push_back(TapsOf(axis, axis.first + i));
  }
  return all;
}

// Returns the weighted sum of pixels that are `step` apart. The result has R, G, B, 0.
uint32_t Sum(const uint32_t* pixels, size_t step, const std::vector<int32_t>& weights) {
  constexpr int32_t kHalf = 1 << (kWeightBits - 1);
  int32_t red = kHalf, green = kHalf, blue = kHalf;
  for (const int32_t weight : weights) {
    red += static_cast<int32_t>(*pixels & 255) * weight;
    green += static_cast<int32_t>(*pixels >> 8 & 255) * weight;
    blue += static_cast<int32_t>(*pixels >> 16 & 255) * weight;
    pixels += step;
  }
  const auto byte = [](int32_t sum) { return static_cast<uint32_t>(std::clamp(sum >> kWeightBits, 0, 255)); };
  return byte(red) | byte(green) << 8 | byte(blue) << 16;
}

}  // namespace

void ResizePicture(uint32_t side, DecodedPicture& picture, DecodedPicture& scratch) {
  const PictureSize size = picture.size;
  if (size == PictureSize{side, side}) {
    return;
  }
  const uint32_t shorter = std::min(size.width, size.height);
  const std::vector<Taps> columns = AllTaps(AxisOf(size.width, shorter, side));
  const std::vector<Taps> rows = AllTaps(AxisOf(size.height, shorter, side));
  const uint32_t top = rows.front().first;  // rows above and below the cut are not needed
  const uint32_t bottom = rows.back().first + static_cast<uint32_t>(rows.back().weights.size());
  scratch.pixels.resize(std::max(scratch.pixels.size(), size_t{bottom - top} * side));
  for (uint32_t y = top; y < bottom; ++y) {
    for (uint32_t x = 0; x < side; ++x) {
      scratch.pixels[size_t{y - top} * side + x] =
          Sum(&picture.pixels[size_t{y} * size.width + columns[x].first], 1, columns[x].weights);
    }
  }
  picture.pixels.resize(std::max(picture.pixels.size(), size_t{side} * side));
  for (uint32_t y = 0; y < side; ++y) {
    for (uint32_t x = 0; x < side; ++x) {
      picture.pixels[size_t{y} * side + x] =
          Sum(&scratch.pixels[size_t{rows[y].first - top} * side + x], side, rows[y].weights);
    }
  }
  picture.size = {side, side};
}

}  // namespace lockstep
