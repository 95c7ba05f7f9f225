#include "lib/int8_cpu/packed_classes.h"

#include <algorithm>
#include <utility>

#include "lib/int8_cpu/start_values.h"

namespace lockstep {

PackedClasses::PackedClasses(const IntegerLayer& layer, const PackedShape& shape, int32_t input_zero_point,
                             const TileKernels& kernels, StepLayout& layout)
    : tile_pixels_(kernels.max_pixels[1]) {
  for (WindowClass& window : WindowClasses(layer.shape, shape.pools ? PixelOutputs::kPooled : PixelOutputs::kOwn)) {
    classes_.push_back({std::move(window), {}, {}, {}});
  }
  // Padding can be copied if each step is of one tap.
  const bool can_pad = kernels.pads && layout.SharesColumns() && layer.shape.padding > 0;
  if (can_pad) {
    AddPadded(layer.shape, static_cast<uint32_t>(layout.TapSteps()));
  }
  const StartValues start(layer, input_zero_point + (kernels.multiplies_int8 ? 0 : 128));
  for (PackedClass& packed : classes_) {
    packed.start = start.Of(packed.window, kernels.lanes);
  }
  if (shape.merged > 1) {
    MergePixels(shape, layer.shape.out_channels);
  }
  for (const PackedClass& packed : classes_) {
    layout.Add(packed.window.columns);
  }
  for (PackedClass& packed : classes_) {
    packed.runs = layout.Runs(packed.window, size_t{layer.shape.in_width} * layer.shape.in_channels);
  }
  if (can_pad) {
    padded_ = std::move(classes_.back());
    classes_.pop_back();
  }
}

// Adds the padded class as the last one.
void PackedClasses::AddPadded(const LayerShape& shape, uint32_t tap_steps) {
  PackedClass padded = {{{0, shape.kernel}, {0, shape.kernel}, {}}, {}, {}, {}};
  real_steps_.reserve(classes_.size());
  for (const PackedClass& packed : classes_) {
    const TapRange rows = packed.window.rows, columns = packed.window.columns;
    real_steps_.push_back({rows.first, rows.last, columns.first * tap_steps, columns.last * tap_steps,
                           (rows.first * shape.in_width + columns.first) * shape.in_channels});
    padded.window.pixels.insert(padded.window.pixels.end(), packed.window.pixels.begin(), packed.window.pixels.end());
    padded.real.insert(padded.real.end(), packed.window.pixels.size(), &real_steps_.back());
  }
  classes_.push_back(std::move(padded));
}

// Merges the pixels of each pair: the first pixel stands for both.
void PackedClasses::MergePixels(const PackedShape& shape, uint32_t outputs) {
  PackedClass& packed = classes_.front();
  packed.window.columns.last = shape.row_columns;
  std::vector<PixelPlace>& pixels = packed.window.pixels;
  for (size_t i = 0; 2 * i < pixels.size(); ++i) {
    pixels[i] = pixels[2 * i];
  }
  pixels.resize(pixels.size() / 2);
  std::copy_n(packed.start.begin(), outputs, packed.start.begin() + outputs);
}

// Returns the steps of all tiles of a class: its cost.
size_t PackedClasses::TileSteps(const PackedClass& packed, size_t count) const {
  size_t steps = 0;
  for (const TapRun& run : packed.runs) {
    steps += run.steps;
  }
  return steps * DividedUp(packed.window.pixels.size() * count, tile_pixels_);
}

const PackedClass* PackedClasses::Padded(size_t count) const {
  size_t steps = 0;
  for (const PackedClass& packed : classes_) {
    steps += TileSteps(packed, count);
  }
  return padded_.has_value() && TileSteps(*padded_, count) < steps ? &*padded_ : nullptr;
}

}  // namespace lockstep
