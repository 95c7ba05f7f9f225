#include "lib/onnx/node_bias.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/onnx/node_parts.h"

namespace lockstep {
namespace {

using ::onnx::NodeProto;
using ::onnx::TensorProto;

// Relative difference of two scales that roundings of a product in float32 explain.
constexpr double kSameScale = 1.0 / (1 << 20);

// Returns the scale of sums of channel `channel`.
double SumScale(float input_step, const NodeWeights& weights, size_t channel) {
  return static_cast<double>(input_step) * weights.steps[weights.steps.size() == 1 ? 0 : channel];
}

}  // namespace

absl::StatusOr<std::vector<int32_t>> ReadBias(const OnnxGraph& graph, const NodeProto& node, int index) {
  if (!HasInput(node, index)) {
    return std::vector<int32_t>();
  }
  ASSIGN_OR_RETURN(const TensorProto* const tensor, graph.Constant(node, index));
  if (tensor->data_type() != TensorProto::INT32) {
    return UnsupportedNode(node, absl::StrCat("a bias of type ", tensor->data_type(), ", expected int32 (6)"));
  }
  ASSIGN_OR_RETURN(const std::vector<int64_t> bias, graph.Integers(node, index));
  return std::vector<int32_t>(bias.begin(), bias.end());
}

absl::StatusOr<std::vector<int32_t>> ReadDequantizedBias(const OnnxGraph& graph, const NodeProto& dequantize,
                                                         float input_step, const NodeWeights& weights) {
  ASSIGN_OR_RETURN(const std::vector<int32_t> bias, ReadBias(graph, dequantize, 0));
  ASSIGN_OR_RETURN(const std::vector<float> scales, graph.Floats(dequantize, 1));
  if (HasInput(dequantize, 2)) {
    ASSIGN_OR_RETURN(const std::vector<int64_t> zero_points, graph.Integers(dequantize, 2));
    if (std::any_of(zero_points.begin(), zero_points.end(), [](int64_t zero_point) { return zero_point != 0; })) {
      return UnsupportedNode(dequantize, "a bias whose zero point is not 0");
    }
  }
  RETURN_IF_ERROR(CheckScales(dequantize, scales.size(), 1, 0));
  if (scales.size() != 1 && scales.size() != bias.size()) {
    return BrokenNode(dequantize, absl::StrCat(scales.size(), " scales of ", bias.size(), " biases"));
  }
  for (size_t i = 0; i < bias.size(); ++i) {
    const double scale = scales[scales.size() == 1 ? 0 : i];
    if (const double sums = SumScale(input_step, weights, std::min(i, weights.steps.size() - 1));
        bias[i] != 0 && !(std::abs(scale - sums) <= sums * kSameScale)) {
      return UnsupportedNode(dequantize, absl::StrCat("a bias of scale ", scale, ", expected ", sums,
                                                      ", the scale of the input times that of the weights, as which "
                                                      "ONNX Runtime takes it; quantize the bias with that scale"));
    }
  }
  return bias;
}

absl::StatusOr<std::vector<int32_t>> RoundFloatBias(const OnnxGraph& graph, const NodeProto& node, int index,
                                                    float input_step, const NodeWeights& weights) {
  ASSIGN_OR_RETURN(const std::vector<float> real, graph.Floats(node, index));
  std::vector<int32_t> bias;
  bias.reserve(real.size());
  for (size_t i = 0; i < real.size(); ++i) {
    const double rounded =
        std::nearbyint(real[i] / SumScale(input_step, weights, std::min(i, weights.steps.size() - 1)));
    if (!(std::abs(rounded) <= std::numeric_limits<int32_t>::max())) {
      return UnsupportedNode(node, absl::StrCat("a bias of ", real[i], " exceeds int32 in the scale of the sums"));
    }
    bias.push_back(static_cast<int32_t>(rounded));
  }
  return bias;
}

}  // namespace lockstep
