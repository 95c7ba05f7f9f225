#include "lib/int8_cpu/packed_convolution.h"

#include <algorithm>
#include <cstring>

namespace lockstep {
namespace {

// Returns the smallest value of a result.
int32_t Lowest(const IntegerLayer& layer) { return layer.shape.relu ? layer.zero_point + 128 : 0; }

}  // namespace

AddTask MakeAddTask(const IntegerLayer& layer) { return {layer.add, Lowest(layer), nullptr}; }

PackedConvolution::PackedConvolution(const IntegerLayer& layer, int32_t input_zero_point, const TileKernels& kernels)
    : layer_(layer), kernels_(kernels), padding_(static_cast<uint8_t>(input_zero_point + 128)),
      shape_(MakePackedShape(layer, kernels)), layout_(shape_, kernels.depth),
      classes_(layer, shape_, input_zero_point, kernels, layout_), weights_(layer, shape_, layout_, kernels) {}

ScaleTask PackedConvolution::MakeScaleTask(const OutputGroup& group) const {
  ScaleTask task = {};
  task.stride = GroupStride();
  task.window = shape_.window;
  task.pair = shape_.merged == 1 ? 0 : layer_.shape.out_channels;
  task.outputs = group.outputs / shape_.merged;
  if (!layer_.WritesSums()) {
    task.scaling = {layer_.multiplier.data() + group.first_output,
                    layer_.float_bias.empty() ? nullptr : layer_.float_bias.data() + group.first_output,
                    kInt8Max - static_cast<float>(layer_.zero_point), layer_.zero_point + 128, Lowest(layer_)};
  }
  return task;
}

// Returns the maximum number of pixels that a tile writes. A max-pooling window is never divided.
size_t PackedConvolution::TileResults(const OutputGroup& group) const {
  const uint32_t pixels = kernels_.max_pixels[group.blocks.front().panels];  // later blocks are no wider
  return std::max<size_t>(1, pixels / shape_.window);
}

void PackedConvolution::Multiply(const OutputGroup& group, const PackedClass& packed, Tile& tile) const {
  int32_t* const sums = tile.sums;
  for (const OutputBlock& block : group.blocks) {
    tile.weights = weights_.Weights(block);
    tile.start = packed.start.data() + block.first_output;
    tile.sums = sums + (block.first_output - group.first_output);
    tile.panels = block.panels;
    kernels_.multiply[block.panels][tile.pixels](tile);
  }
  tile.sums = sums;
}

void PackedConvolution::Finish(const ScaleTask& task, const Batch& batch) const {
  if (layer_.WritesSums()) {
    for (size_t p = 0; p < task.pixels; ++p) {
      std::copy_n(task.sums + p * task.stride, task.outputs, static_cast<int32_t*>(task.targets[p]));
    }
    return;
  }
  kernels_.scale(task);
  for (size_t p = 0; batch.add != nullptr && p < task.pixels; ++p) {
    void* const own = task.targets[p];
    const void* other = batch.add->other + (static_cast<uint8_t*>(own) - static_cast<uint8_t*>(batch.output));
    const bool is_first = batch.add->is_first;
    kernels_.add(batch.add->task, is_first ? own : other, is_first ? other : own, own, task.outputs);
  }
}

// Finishes a part of a tile's pixels, a few at a time.
void PackedConvolution::FinishPart(const void* finishing, size_t part, size_t parts) {
  const auto& whole = *static_cast<const Finishing*>(finishing);
  const auto bound = [&](size_t p) { return p == parts ? whole.task.pixels : whole.task.pixels * p / parts / 4 * 4; };
  const size_t first = bound(part);
  ScaleTask task = whole.task;
  task.sums += first * task.window * task.stride;
  task.targets += first;
  task.pixels = bound(part + 1) - first;
  if (task.pixels > 0) {
    whole.convolution->Finish(task, *whole.batch);
  }
}

// The tile that is being multiplied and, if the kernels support Tile::meanwhile, the previous tile, which is being
// finished.
class PackedConvolution::Pipeline {
 public:
  Pipeline(const PackedConvolution& convolution, const Batch& batch)
      : tiles_{{convolution, batch}, {convolution, batch}} {}

  Finishing& Current() { return tiles_[current_]; }
  Meanwhile Previous() const { return {FinishPart, &tiles_[1 - current_]}; }

  // Records that the current tile is multiplied and `task` is left to do.
  void Push(const ScaleTask& task) {
    Current().task = task;
    current_ = 1 - current_;
  }

  void Drain() const { FinishPart(&tiles_[1 - current_], 0, 1); }

 private:
  size_t current_ = 0;
  Finishing tiles_[2];
};

void PackedConvolution::RunClass(const OutputGroup& group, const PackedClass& packed, const Batch& batch,
                                 Pipeline& pipeline) const {
  const std::vector<PixelPlace>& pixels = packed.window.pixels;
  const size_t in_bytes = layer_.shape.In().Size() * kernels_.value_bytes;
  const size_t result_bytes = layer_.WritesSums() ? sizeof(int32_t) : kernels_.value_bytes;
  const size_t out_bytes = (shape_.pools ? layer_.shape.Pooled() : layer_.shape.Out()).Size() * result_bytes;
  Tile tile = {};
  tile.runs = packed.runs.data();
  tile.run_count = packed.runs.size();
  tile.weight_stride = layout_.Steps() * kernels_.depth;
  tile.stride = GroupStride();
  tile.padding = padding_;
  const RealSteps* real[kMaxPixels];
  ScaleTask task = MakeScaleTask(group);
  // Tiles have the same size, except for some rows: a small last tile would wait for its own sums.
  size_t left = pixels.size() / shape_.window * batch.count;
  const size_t row_results = std::max<size_t>(1, kernels_.rows / shape_.window), rows = DividedUp(left, row_results);
  const size_t tiles = DividedUp(left, TileResults(group));
  const size_t least = tiles == 0 ? 0 : rows / tiles, larger = tiles == 0 ? 0 : rows % tiles;
  const uint8_t* input = batch.input;
  uint8_t* output = static_cast<uint8_t*>(batch.output) + group.first_output * result_bytes;
  const size_t window = shape_.window, value_bytes = kernels_.value_bytes;
  const PixelPlace *pixel = pixels.data(), *const pixels_end = pixel + pixels.size();
  for (size_t t = 0; t < tiles; ++t) {
    Finishing& finishing = pipeline.Current();
    task.pixels = std::min(left, (least + (t < larger ? 1 : 0)) * row_results);
    left -= task.pixels;
    task.sums = finishing.sums;
    task.targets = finishing.targets;
    const void** next = tile.inputs;
    const size_t first_pixel = pixel - pixels.data();
    for (size_t r = 0, results = task.pixels; r < results; ++r) {
      finishing.targets[r] = output + pixel->output * result_bytes;
      for (size_t w = 0; w < window; ++w, ++pixel) {
        *next++ = input + size_t{pixel->input} * value_bytes;
      }
      if (pixel == pixels_end) {
        pixel = pixels.data();
        input += in_bytes;
        output += out_bytes;
      }
    }
    tile.pixels = task.pixels * shape_.window;
    tile.sums = finishing.sums;
    if (!packed.real.empty()) {
      for (size_t p = 0, at = first_pixel; p < tile.pixels; ++p) {
        real[p] = packed.real[at];
        at = at + 1 == pixels.size() ? 0 : at + 1;
      }
      tile.real = real;
    }
    if (kernels_.does_meanwhile) {
      tile.meanwhile = pipeline.Previous();
      Multiply(group, packed, tile);
      pipeline.Push(task);
    } else {
      Multiply(group, packed, tile);
      Finish(task, batch);
    }
  }
}

void PackedConvolution::Run(const uint8_t* input, size_t count, void* output, const FusedAdd* add) const {
  const Batch batch = {input, output, count, add};
  Pipeline pipeline(*this, batch);
  if (kernels_.begin != nullptr) {
    kernels_.begin();
  }
  const PackedClass* const padded = classes_.Padded(count);
  for (const OutputGroup& group : weights_.Groups()) {
    if (padded != nullptr) {
      RunClass(group, *padded, batch, pipeline);
      continue;
    }
    for (const PackedClass& packed : classes_.Classes()) {
      RunClass(group, packed, batch, pipeline);
    }
  }
  if (kernels_.end != nullptr) {
    kernels_.end();
  }
  pipeline.Drain();
}

}  // namespace lockstep
