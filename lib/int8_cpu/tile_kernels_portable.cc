// Plain C++. The inner loop is a row of int16 products, which GCC compiles to pmaddwd on any x86-64.
#include <algorithm>
#include <iterator>

#include "lib/int8_cpu/multiply_table.h"
#include "lib/int8_cpu/tile_kernels.h"

namespace lockstep {
namespace {

struct Portable {
  // A step is one 128-bit vector, so that no run ends with single products.
  static constexpr uint32_t kDepth = 8;
  static constexpr uint32_t kMaxPixels[] = {4, 4, 4, 3};  // 12 sums and their operands fit into 16 registers
  static constexpr uint32_t kRowPixels = 1;

  template <uint32_t kPanels, uint32_t kPixels>
  static void Multiply(const Tile& tile) {
    for (uint32_t p = 0; p < kPixels; ++p) {
      std::copy_n(tile.start, kPanels, tile.sums + p * tile.stride);
    }
    for (size_t r = 0; r < tile.run_count; ++r) {
      const TapRun& run = tile.runs[r];
      const size_t values = size_t{run.steps} * kDepth;
      int32_t sums[kPixels][kPanels] = {};
      const int16_t* inputs[kPixels];
      const int16_t* weights[kPanels];
      for (uint32_t p = 0; p < kPixels; ++p) {
        inputs[p] = static_cast<const int16_t*>(tile.inputs[p]) + run.input;
      }
      for (uint32_t n = 0; n < kPanels; ++n) {
        weights[n] = static_cast<const int16_t*>(tile.weights) + run.weights * size_t{kDepth} + n * tile.weight_stride;
      }
      for (size_t k = 0; k < values; ++k) {
#pragma GCC unroll 8
        for (uint32_t p = 0; p < kPixels; ++p) {
#pragma GCC unroll 4
          for (uint32_t n = 0; n < kPanels; ++n) {
            sums[p][n] += int32_t{inputs[p][k]} * weights[n][k];
          }
        }
      }
      for (uint32_t i = 0; i < kPixels * kPanels; ++i) {
        tile.sums[i / kPanels * tile.stride + i % kPanels] += sums[i / kPanels][i % kPanels];
      }
    }
  }
};

// Rounds half to even a number whose magnitude is below 2^22: 1.5 * 2^23 is so large that its last bit is worth 1.
// Unlike std::nearbyint, this needs no call.
float RoundSmall(float value) { return (value + 12582912.0f) - 12582912.0f; }

void Scale(const ScaleTask& task) {
  const Scaling& scaling = task.scaling;
  for (size_t p = 0; p < task.pixels; ++p) {
    const int32_t* sums = task.sums + p * task.window * task.stride;
    int16_t* target = static_cast<int16_t*>(task.targets[p]);
    for (size_t o = 0; o < task.outputs; ++o) {
      int32_t sum = sums[o];
      for (size_t i = 0; i < task.window; ++i) {
        const int32_t* pixel = sums + i * task.stride + o;
        sum = std::max(sum, std::max(pixel[0], pixel[task.pair]));
      }
      const float bias = scaling.bias == nullptr ? 0.0f : scaling.bias[o];
      const float real = (static_cast<float>(sum) + bias) * scaling.multiplier[o];
      const int32_t rounded = static_cast<int32_t>(RoundSmall(std::min(std::max(real, -256.0f), scaling.high)));
      target[o] = static_cast<int16_t>(std::max(rounded + scaling.zero, scaling.lowest));
    }
  }
}

void Add(const AddTask& task, const void* a, const void* b, void* sum, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const size_t at = size_t{256} * static_cast<const uint16_t*>(a)[i] + static_cast<const uint16_t*>(b)[i];
    static_cast<uint16_t*>(sum)[i] = task.table[at];
  }
}

}  // namespace

const TileKernels& PortableTileKernels() {
  static constexpr TileKernels kKernels = WithMultiplyTable<Portable>({
      .value_bytes = sizeof(int16_t),
      .depth = Portable::kDepth,
      .quad = Portable::kDepth,
      .width = std::size(Portable::kMaxPixels),
      .by_output = true,
      .wants_add_table = true,
      .max_blocks = 16,
      .scale = Scale,
      .add = Add,
  });
  return kKernels;
}

}  // namespace lockstep
