#include "lib/int8_cpu/packed_convolution.h"

#include <algorithm>
#include <cstring>

namespace lockstep {
namespace {

uint32_t DividedUp(size_t value, size_t by) { return static_cast<uint32_t>((value + by - 1) / by); }

bool IsMonotone(const std::vector<float>& multiplier) {
  return std::all_of(multiplier.begin(), multiplier.end(), [](float m) { return m >= 0; });
}

// Returns the smallest value of a result.
int32_t Lowest(const IntegerLayer& layer) { return layer.shape.relu ? layer.zero_point + 128 : 0; }

}  // namespace

AddTask MakeAddTask(const IntegerLayer& layer) { return {layer.add, Lowest(layer), nullptr}; }

PackedConvolution::PackedConvolution(const IntegerLayer& layer, int32_t input_zero_point, const TileKernels& kernels)
    : layer_(layer), kernels_(kernels), padding_(static_cast<uint8_t>(input_zero_point + 128)) {
  const LayerShape& shape = layer.shape;
  pools_ = CanPoolInOrder(shape) && shape.pool <= 2 && !layer.WritesSums() && IsMonotone(layer.multiplier);
  window_ = pools_ ? size_t{shape.pool} * shape.pool : 1;
  const bool one_row = shape.in_width == shape.kernel && shape.padding == 0;
  rows_ = one_row ? 1 : shape.kernel;
  row_columns_ = shape.kernel;
  column_terms_ = shape.in_channels * (one_row ? shape.kernel : 1);
  shares_columns_ = column_terms_ % kernels.depth == 0;
  for (WindowClass& window : WindowClasses(shape, pools_ ? PixelOutputs::kPooled : PixelOutputs::kOwn)) {
    classes_.push_back({std::move(window), {}, {}, {}});
  }
  if (CanPad()) {
    AddPadded();
  }
  MakeStarts(input_zero_point);
  MergePixels();
  MakeRuns();
  if (CanPad()) {
    TakePadded();
  }
  MakeGroups();
  PackWeights();
}

// Returns true if padding can be copied: each step is of one tap.
bool PackedConvolution::CanPad() const { return kernels_.pads && shares_columns_ && layer_.shape.padding > 0; }

void PackedConvolution::AddPadded() {
  const LayerShape& shape = layer_.shape;
  const uint32_t tap_steps = column_terms_ / kernels_.depth;
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

void PackedConvolution::TakePadded() {
  padded_ = std::move(classes_.back());
  classes_.pop_back();
}

// Returns the steps of all tiles of a class: its cost.
size_t PackedConvolution::TileSteps(const PackedClass& packed, size_t count) const {
  size_t steps = 0;
  for (const TapRun& run : packed.runs) {
    steps += run.steps;
  }
  return steps * DividedUp(packed.window.pixels.size() * count, kernels_.max_pixels[1]);
}

bool PackedConvolution::IsPaddedFaster(size_t count) const {
  size_t steps = 0;
  for (const PackedClass& packed : classes_) {
    steps += TileSteps(packed, count);
  }
  return padded_.has_value() && TileSteps(*padded_, count) < steps;
}

// Merges the pixels of each pair if their outputs take no more vectors than one pixel's. The first pixel stands for
// both.
void PackedConvolution::MergePixels() {
  const LayerShape& shape = layer_.shape;
  const uint32_t outputs = shape.out_channels, panels = DividedUp(outputs, kernels_.lanes);
  if (window_ != 4 || DividedUp(2 * size_t{outputs}, kernels_.lanes) != panels || panels > kernels_.max_panels) {
    return;
  }
  merged_ = 2;
  window_ /= merged_;
  row_columns_ += shape.stride;
  PackedClass& packed = classes_.front();
  packed.window.columns.last = row_columns_;
  std::vector<PixelPlace>& pixels = packed.window.pixels;
  for (size_t i = 0; 2 * i < pixels.size(); ++i) {
    pixels[i] = pixels[2 * i];
  }
  pixels.resize(pixels.size() / 2);
  std::copy_n(packed.start.begin(), outputs, packed.start.begin() + outputs);
}

size_t PackedConvolution::RowSteps(TapRange columns) const {
  return DividedUp(size_t{columns.Count()} * column_terms_, kernels_.depth);
}

// Returns the step at which the first row of the packing for `columns` begins.
size_t PackedConvolution::FirstStep(TapRange columns) const {
  size_t step = 0;
  for (const TapRange& packing : packings_) {
    if (shares_columns_ || packing == columns) {
      break;
    }
    step += rows_ * RowSteps(packing);
  }
  return step;
}

void PackedConvolution::MakeRuns() {
  const TapRange all_columns = {0, row_columns_};
  packings_ = {};
  for (const PackedClass& packed : classes_) {
    const TapRange columns = shares_columns_ ? all_columns : packed.window.columns;
    if (std::find(packings_.begin(), packings_.end(), columns) == packings_.end()) {
      packings_.push_back(columns);
      steps_ += rows_ * RowSteps(columns);
    }
  }
  const size_t input_row = size_t{layer_.shape.in_width} * layer_.shape.in_channels;
  for (PackedClass& packed : classes_) {
    const TapRange columns = packed.window.columns, packing = shares_columns_ ? all_columns : columns;
    const TapRange rows = rows_ == 1 ? TapRange{0, 1} : packed.window.rows;
    const size_t skipped = size_t{columns.first - packing.first} * column_terms_ / kernels_.depth;
    for (uint32_t row = rows.first; row < rows.last; ++row) {
      const size_t step = FirstStep(columns) + row * RowSteps(packing) + skipped;
      packed.runs.push_back({static_cast<uint32_t>((row - rows.first) * input_row), static_cast<uint32_t>(step),
                             static_cast<uint32_t>(RowSteps(columns))});
    }
  }
}

void PackedConvolution::MakeGroups() {
  const uint32_t outputs = layer_.shape.out_channels * merged_;
  const uint32_t block_outputs = kernels_.max_panels * kernels_.lanes;
  size_t bytes = 0;
  for (uint32_t first = 0; first < outputs; first += block_outputs) {
    if (first % (block_outputs * kernels_.max_blocks) == 0) {
      groups_.push_back({first, 0, {}});
    }
    const uint32_t count = std::min(block_outputs, outputs - first);
    const uint32_t panels = DividedUp(count, kernels_.lanes);
    groups_.back().outputs += count;
    groups_.back().blocks.push_back({first, count, panels, bytes});
    bytes += steps_ * panels * kernels_.lanes * kernels_.depth * kernels_.value_bytes;
  }
  weights_ = AlignedBuffer(bytes);
}

// Returns a weight of the packed kernel, to which `output`, `row` and `term` refer.
int8_t PackedConvolution::Weight(uint32_t output, uint32_t row, size_t term) const {
  const LayerShape& shape = layer_.shape;
  const size_t skipped = output / shape.out_channels * size_t{shape.stride} * shape.in_channels;  // offset of a second
                                                                                                  // pixel
  const size_t terms = rows_ == 1 ? shape.Terms() : shape.Terms() / shape.kernel;                 // terms of a row
  if (term < skipped || term - skipped >= terms) {
    return 0;
  }
  const size_t tap = row * size_t{shape.kernel} + (term - skipped) / shape.in_channels;
  const size_t first = output % shape.out_channels * size_t{shape.in_channels} + (term - skipped) % shape.in_channels;
  return layer_.weight[first * shape.kernel * shape.kernel + tap];
}

void PackedConvolution::PackRow(const Block& block, size_t first_step, uint32_t row, TapRange columns) {
  const size_t terms = size_t{columns.Count()} * column_terms_, depth = kernels_.depth;
  const size_t lanes = kernels_.lanes, quad = kernels_.quad;
  for (uint32_t o = 0; o < block.outputs; ++o) {
    const size_t first_panel = o / lanes / kernels_.width * kernels_.width;
    const size_t width = std::min<size_t>(kernels_.width, block.panels - first_panel);
    for (size_t t = 0; t < terms; ++t) {
      const size_t step = first_step + t / depth, in_step = t % depth;
      const size_t vector = first_panel * steps_ + step * width + o / lanes - first_panel;
      const size_t at = kernels_.by_output ? (o * steps_ + step) * depth + in_step
                                           : vector * lanes * depth + in_step / quad * lanes * quad + o % lanes * quad +
                                                 in_step % quad;
      const int16_t weight = Weight(block.first_output + o, row, columns.first * size_t{column_terms_} + t);
      std::memcpy(weights_.data() + block.weights + at * kernels_.value_bytes, &weight, kernels_.value_bytes);
    }
  }
}

void PackedConvolution::PackWeights() {
  for (const Group& group : groups_) {
    for (const Block& block : group.blocks) {
      for (const TapRange& columns : packings_) {
        for (uint32_t row = 0; row < rows_; ++row) {
          PackRow(block, FirstStep(columns) + row * RowSteps(columns), row, columns);
        }
      }
    }
  }
}

void PackedConvolution::MakeStarts(int32_t input_zero_point) {
  const LayerShape& shape = layer_.shape;
  const size_t area = size_t{shape.kernel} * shape.kernel;
  std::vector<uint32_t> tap_sums(shape.out_channels * area, 0);  // sum of each output's weights at each tap
  for (size_t i = 0; i < layer_.weight.size(); ++i) {
    tap_sums[i / (area * shape.in_channels) * area + i % area] += static_cast<uint32_t>(int32_t{layer_.weight[i]});
  }
  const uint32_t zero = static_cast<uint32_t>(input_zero_point + (kernels_.multiplies_int8 ? 0 : 128));
  for (PackedClass& packed : classes_) {
    packed.start.assign(DividedUp(shape.out_channels, kernels_.lanes) * size_t{kernels_.lanes}, 0);
    for (uint32_t o = 0; o < shape.out_channels; ++o) {
      uint32_t sum = 0;
      for (uint32_t i = packed.window.rows.first; i < packed.window.rows.last; ++i) {
        for (uint32_t j = packed.window.columns.first; j < packed.window.columns.last; ++j) {
          sum += tap_sums[o * area + i * shape.kernel + j];
        }
      }
      const uint32_t bias = layer_.bias.empty() ? 0 : static_cast<uint32_t>(layer_.bias[o]);
      packed.start[o] = static_cast<int32_t>(bias - zero * sum);
    }
  }
}

ScaleTask PackedConvolution::MakeScaleTask(const Group& group) const {
  ScaleTask task = {};
  task.stride = GroupStride();
  task.window = window_;
  task.pair = merged_ == 1 ? 0 : layer_.shape.out_channels;
  task.outputs = group.outputs / merged_;
  if (!layer_.WritesSums()) {
    task.scaling = {layer_.multiplier.data() + group.first_output,
                    layer_.float_bias.empty() ? nullptr : layer_.float_bias.data() + group.first_output,
                    kInt8Max - static_cast<float>(layer_.zero_point), layer_.zero_point + 128, Lowest(layer_)};
  }
  return task;
}

// Returns the maximum number of pixels that a tile writes. A max-pooling window is never divided.
size_t PackedConvolution::TileResults(const Group& group) const {
  const uint32_t pixels = kernels_.max_pixels[group.blocks.front().panels];  // later blocks are no wider
  return std::max<size_t>(1, pixels / window_);
}

void PackedConvolution::Multiply(const Group& group, const PackedClass& packed, Tile& tile) const {
  int32_t* const sums = tile.sums;
  for (const Block& block : group.blocks) {
    tile.weights = weights_.data() + block.weights;
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

void PackedConvolution::RunClass(const Group& group, const PackedClass& packed, const Batch& batch,
                                 Pipeline& pipeline) const {
  const std::vector<PixelPlace>& pixels = packed.window.pixels;
  const size_t in_bytes = layer_.shape.In().Size() * kernels_.value_bytes;
  const size_t result_bytes = layer_.WritesSums() ? sizeof(int32_t) : kernels_.value_bytes;
  const size_t out_bytes = (pools_ ? layer_.shape.Pooled() : layer_.shape.Out()).Size() * result_bytes;
  Tile tile = {};
  tile.runs = packed.runs.data();
  tile.run_count = packed.runs.size();
  tile.weight_stride = steps_ * kernels_.depth;
  tile.stride = GroupStride();
  tile.padding = padding_;
  const RealSteps* real[kMaxPixels];
  ScaleTask task = MakeScaleTask(group);
  // Tiles have the same size, except for some rows: a small last tile would wait for its own sums.
  size_t left = pixels.size() / window_ * batch.count;
  const size_t row_results = std::max<size_t>(1, kernels_.rows / window_), rows = DividedUp(left, row_results);
  const size_t tiles = DividedUp(left, TileResults(group));
  const size_t least = tiles == 0 ? 0 : rows / tiles, larger = tiles == 0 ? 0 : rows % tiles;
  const uint8_t* input = batch.input;
  uint8_t* output = static_cast<uint8_t*>(batch.output) + group.first_output * result_bytes;
  const size_t window = window_, value_bytes = kernels_.value_bytes;
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
    tile.pixels = task.pixels * window_;
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
  const bool is_padded = IsPaddedFaster(count);
  for (const Group& group : groups_) {
    if (is_padded) {
      RunClass(group, *padded_, batch, pipeline);
    }
    for (size_t c = 0; c < classes_.size() && !is_padded; ++c) {
      RunClass(group, classes_[c], batch, pipeline);
    }
  }
  if (kernels_.end != nullptr) {
    kernels_.end();
  }
  pipeline.Drain();
}

}  // namespace lockstep
