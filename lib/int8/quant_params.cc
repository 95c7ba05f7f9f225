#include "lib/int8/quant_params.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

constexpr double kInt8Range = 127;
constexpr double kLargestBias = 1 << 30;  // half of int32; the other half is left for the sums
constexpr int64_t kInt32Max = std::numeric_limits<int32_t>::max();

absl::Status CheckFinite(const std::vector<float>& values, absl::string_view name) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      return absl::FailedPreconditionError(absl::StrCat(name, ": value ", i, " is ", values[i],
                                                        "; int8 needs finite values. Did training diverge? Train again "
                                                        "with a smaller learning rate"));
    }
  }
  return absl::OkStatus();
}

double WeightRangeOf(const RangeSummary& summary, proto::WeightRange range) {
  return range == proto::THREE_SIGMA ? std::min(summary.MaxAbs(), summary.ThreeSigma()) : summary.MaxAbs();
}

// Returns everything about a tensor except its values.
QuantizedTensor Measure(const std::vector<float>& weights, proto::WeightRange range) {
  RangeSummary summary;
  summary.Add(weights.data(), weights.size());
  QuantizedTensor tensor;
  tensor.max_abs = summary.MaxAbs();
  tensor.three_sigma = summary.ThreeSigma();
  if (tensor.max_abs > 0) {
    tensor.scale = kInt8Range / WeightRangeOf(summary, range);
  }
  return tensor;
}

// Rounds and clamps weights. Returns the number of values that clamping changed.
size_t Round(const float* weights, size_t size, double scale, int8_t* values) {
  size_t saturated = 0;
  for (size_t i = 0; i < size; ++i) {
    const double rounded = std::nearbyint(weights[i] * scale);
    saturated += std::abs(rounded) > kInt8Range ? 1 : 0;
    values[i] = static_cast<int8_t>(std::clamp(rounded, -kInt8Range, kInt8Range));
  }
  return saturated;
}

}  // namespace

void RangeSummary::Add(const float* values, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    const double value = values[i];
    finite_ = finite_ && std::isfinite(value);
    min_ = size_ == 0 ? value : std::min(min_, value);
    max_ = size_ == 0 ? value : std::max(max_, value);
    sum_ += value;
    sum_of_squares_ += value * value;
    ++size_;
  }
}

double RangeSummary::MaxAbs() const { return std::max(std::abs(min_), std::abs(max_)); }

double RangeSummary::ThreeSigma() const {
  if (size_ == 0) {
    return 0;
  }
  const double mean = sum_ / static_cast<double>(size_);
  // Rounding can make the difference of two equal numbers slightly negative.
  const double variance = std::max(0.0, sum_of_squares_ / static_cast<double>(size_) - mean * mean);
  return std::abs(mean) + 3 * std::sqrt(variance);
}

absl::StatusOr<QuantizedTensor> QuantizeWeights(const std::vector<float>& weights, proto::WeightRange range,
                                                absl::string_view name) {
  RETURN_IF_ERROR(CheckFinite(weights, name));
  QuantizedTensor tensor = Measure(weights, range);
  tensor.values.resize(weights.size());
  tensor.saturated = Round(weights.data(), weights.size(), tensor.scale, tensor.values.data());
  return tensor;
}

absl::StatusOr<QuantizedTensor> QuantizeChannels(const std::vector<float>& weights, size_t outputs,
                                                 const std::vector<float>& bias, double input_scale,
                                                 proto::WeightRange range, absl::string_view name) {
  RETURN_IF_ERROR(CheckFinite(weights, name));
  QuantizedTensor tensor = Measure(weights, range);
  tensor.values.resize(weights.size());
  const size_t terms = weights.size() / outputs;
  for (size_t o = 0; o < outputs; ++o) {
    const float* const channel = weights.data() + o * terms;
    RangeSummary summary;
    summary.Add(channel, terms);
    double scale = summary.MaxAbs() > 0 ? kInt8Range / WeightRangeOf(summary, range) : tensor.scale;
    if (!bias.empty() && bias[o] != 0 && std::isfinite(bias[o])) {
      scale = std::min(scale, kLargestBias / (input_scale * std::abs(bias[o])));
    }
    tensor.channel_scale.push_back(scale);
    tensor.saturated += Round(channel, terms, scale, tensor.values.data() + o * terms);
  }
  return tensor;
}

absl::StatusOr<std::vector<int32_t>> QuantizeBias(const std::vector<float>& bias, double input_scale,
                                                  const QuantizedTensor& weights, absl::string_view name) {
  RETURN_IF_ERROR(CheckFinite(bias, name));
  std::vector<int32_t> quantized;
  for (size_t i = 0; i < bias.size(); ++i) {
    const double accumulator_scale = input_scale * weights.ScaleOf(i);
    const double rounded = std::nearbyint(bias[i] * accumulator_scale);
    if (std::abs(rounded) > static_cast<double>(kInt32Max)) {
      return absl::FailedPreconditionError(
          absl::StrCat(name, ": value ", i, " is ", bias[i], ", which is ", rounded, " in the accumulator's scale ",
                       accumulator_scale, "; int32 ends at ", kInt32Max,
                       ". The layer's weights are too small compared with its bias for one scale"));
    }
    quantized.push_back(static_cast<int32_t>(rounded));
  }
  return quantized;
}

int64_t AccumulatorBound(const std::vector<int8_t>& weights, const std::vector<int32_t>& bias, size_t outputs,
                         int32_t zero_point) {
  const int64_t largest_input = std::max(int64_t{128} + zero_point, int64_t{127} - zero_point);
  const size_t terms = weights.size() / outputs;
  int64_t bound = 0;
  for (size_t o = 0; o < outputs; ++o) {
    int64_t sum = bias.empty() ? 0 : std::abs(int64_t{bias[o]});
    for (size_t k = 0; k < terms; ++k) {
      sum += largest_input * std::abs(int64_t{weights[o * terms + k]});
    }
    bound = std::max(bound, sum);
  }
  return bound;
}

absl::Status CheckAccumulatorBound(int64_t bound, absl::string_view name) {
  if (bound > kInt32Max) {
    return absl::FailedPreconditionError(
        absl::StrCat(name, ": an accumulator could reach ", bound, ", beyond int32's ", kInt32Max,
                     ". The layer's bias is too large compared with its weights, or the layer has too many inputs"));
  }
  return absl::OkStatus();
}

}  // namespace lockstep
