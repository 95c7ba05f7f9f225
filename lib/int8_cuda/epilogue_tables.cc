#include "lib/int8_cuda/epilogue_tables.h"

#include <algorithm>
#include <map>
#include <utility>

#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"
#include "lib/int8_cuda/device_layout.h"

namespace lockstep {
namespace {

// Real taps of a pixel: rows and columns.
struct RealWindow {
  Taps rows;
  Taps columns;
};

using WindowKey = std::vector<int64_t>;
WindowKey KeyOf(const RealWindow& window) {
  return {window.rows.first, window.rows.last, window.columns.first, window.columns.last};
}

// Returns the distinct windows, and in `classes` the index of each output pixel's window.
std::vector<RealWindow> FindWindows(const LayerShape& shape, std::vector<uint16_t>& classes) {
  std::vector<RealWindow> windows;
  std::map<WindowKey, uint16_t> known;
  const Extent out = shape.Out();
  for (uint32_t y = 0; y < out.height; ++y) {
    for (uint32_t x = 0; x < out.width; ++x) {
      const RealWindow window = {RealTaps(shape, y, shape.in_height), RealTaps(shape, x, shape.in_width)};
      const auto [found, is_new] = known.emplace(KeyOf(window), static_cast<uint16_t>(windows.size()));
      if (is_new) {
        windows.push_back(window);
      }
      classes.push_back(found->second);
    }
  }
  return windows;
}

// Returns (outputs, kernel, kernel): the sum of each output's weights at each tap over the channels.
std::vector<uint32_t> TapSums(const IntegerLayer& layer) {
  const LayerShape& shape = layer.shape;
  const size_t area = size_t{shape.kernel} * shape.kernel;
  std::vector<uint32_t> sums(shape.out_channels * area, 0);
  for (size_t i = 0; i < layer.weight.size(); ++i) {
    sums[i / (area * shape.in_channels) * area + i % area] += static_cast<uint32_t>(int32_t{layer.weight[i]});
  }
  return sums;
}

// Appends bias - zero * sum of the weights in the window; int32 wraps around like the kernels' sums.
void AppendStarts(const IntegerLayer& layer, uint32_t zero, const RealWindow& window,
                  const std::vector<uint32_t>& tap_sums, std::vector<int32_t>& start) {
  const LayerShape& shape = layer.shape;
  const size_t first = start.size();
  start.resize(first + PaddedChannels(shape.out_channels), 0);
  for (uint32_t o = 0; o < shape.out_channels; ++o) {
    uint32_t sum = 0;
    for (int64_t i = window.rows.first; i < window.rows.last; ++i) {
      for (int64_t j = window.columns.first; j < window.columns.last; ++j) {
        sum += tap_sums[(size_t{o} * shape.kernel + i) * shape.kernel + j];
      }
    }
    const uint32_t bias = layer.bias.empty() ? 0 : static_cast<uint32_t>(layer.bias[o]);
    start[first + o] = static_cast<int32_t>(bias - zero * sum);
  }
}

std::vector<float> Padded(std::vector<float> values, const LayerShape& shape) {
  if (!values.empty()) {
    values.resize(PaddedChannels(shape.out_channels), 0.0f);
  }
  return values;
}

template <typename T>
absl::Status Upload(const std::vector<T>& values, DeviceBuffer& buffer, const T*& pointer) {
  const size_t bytes = values.size() * sizeof(T);
  ASSIGN_OR_RETURN(buffer, DeviceBuffer::Make(bytes));
  pointer = static_cast<const T*>(buffer.data());
  return CudaStatus(CopyToDevice(buffer.data(), values.data(), bytes), "copy a layer's tables");
}

}  // namespace

EpilogueTables MakeEpilogueTables(const IntegerLayer& layer, int32_t input_zero_point) {
  EpilogueTables tables;
  std::vector<RealWindow> windows = FindWindows(layer.shape, tables.classes);
  if (input_zero_point == 0 || windows.size() == 1) {  // all pixels have the same start values
    windows.resize(1);
    tables.classes.clear();
  }
  const std::vector<uint32_t> tap_sums = TapSums(layer);
  for (const RealWindow& window : windows) {
    AppendStarts(layer, static_cast<uint32_t>(input_zero_point), window, tap_sums, tables.start);
  }
  tables.multiplier = Padded(layer.multiplier, layer.shape);
  tables.float_bias = Padded(layer.float_bias, layer.shape);
  return tables;
}

AdditionFactors MakeAdditionFactors(const IntegerLayer& addition, OwnOperand own) {
  const bool own_is_first = own == OwnOperand::kFirst;
  const AddFactors& add = addition.add;
  const float low = addition.shape.relu ? static_cast<float>(addition.zero_point + 128) : 0.0f;
  return {own_is_first ? add.a : add.b, own_is_first ? add.b : add.a, add.offset, own_is_first, low};
}

Epilogue MakeEpilogue(const ConvolutionTask& task) {
  const LayerShape& shape = task.layer.shape;
  const float zero_point = static_cast<float>(task.layer.zero_point);
  Epilogue epilogue;
  epilogue.outputs = shape.out_channels;
  epilogue.channels = PaddedChannels(shape.out_channels);
  epilogue.pixels = shape.Out().height * shape.Out().width;
  epilogue.zero_point = zero_point;
  epilogue.low = shape.relu ? 0.0f : kInt8Min - zero_point;
  epilogue.high = kInt8Max - zero_point;
  if (task.addition != nullptr) {
    epilogue.addition =
        MakeAdditionFactors(*task.addition, task.own_is_first ? OwnOperand::kFirst : OwnOperand::kSecond);
  }
  return epilogue;
}

absl::StatusOr<DeviceEpilogue> DeviceEpilogue::Make(const ConvolutionTask& task) {
  const EpilogueTables tables = MakeEpilogueTables(task.layer, task.input_zero_point);
  DeviceEpilogue made;
  made.epilogue_ = MakeEpilogue(task);
  RETURN_IF_ERROR(Upload(tables.start, made.start_, made.epilogue_.start));
  RETURN_IF_ERROR(Upload(tables.classes, made.classes_, made.epilogue_.classes));
  RETURN_IF_ERROR(Upload(tables.multiplier, made.multiplier_, made.epilogue_.multiplier));
  RETURN_IF_ERROR(Upload(tables.float_bias, made.float_bias_, made.epilogue_.float_bias));
  return made;
}

Epilogue DeviceEpilogue::With(const int8_t* addend) const {
  Epilogue epilogue = epilogue_;
  epilogue.addend = addend;
  return epilogue;
}

}  // namespace lockstep
