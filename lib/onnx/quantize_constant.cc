#include "lib/onnx/quantize_constant.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/onnx/onnx_graph.h"
#include "lib/onnx/tensor_values.h"

namespace lockstep {
namespace {

using ::onnx::NodeProto;
using ::onnx::TensorProto;

// Returns the bytes of the integers. `inner`: number of values that lie next to each other and have the same scale. A
// NaN becomes the least integer.
template <typename Integer>
std::string Quantized(const std::vector<float>& values, const std::vector<float>& scales,
                      const std::vector<int64_t>& zero_points, size_t inner) {
  constexpr double kMin = std::numeric_limits<Integer>::min(), kMax = std::numeric_limits<Integer>::max();
  std::string bytes(values.size(), '\0');
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t channel = i / inner;
    const double integer = static_cast<double>(std::nearbyint(values[i] / scales[channel % scales.size()])) +
                           static_cast<double>(zero_points[channel % zero_points.size()]);
    bytes[i] = static_cast<char>(static_cast<Integer>(integer > kMin ? std::min(integer, kMax) : kMin));
  }
  return bytes;
}

}  // namespace

absl::StatusOr<TensorProto> QuantizeConstant(const NodeProto& node, const TensorProto& weights,
                                             const TensorProto& scale, const TensorProto* zero_point) {
  ASSIGN_OR_RETURN(const std::vector<float> values, FloatValues(weights));
  ASSIGN_OR_RETURN(const std::vector<float> scales, FloatValues(scale));
  std::vector<int64_t> zero_points = {0};
  int32_t type = TensorProto::UINT8;
  if (zero_point != nullptr) {
    type = zero_point->data_type();
    ASSIGN_OR_RETURN(zero_points, IntegerValues(*zero_point));
  }
  ASSIGN_OR_RETURN(const int64_t given, IntAttribute(node, "axis", 1));
  const int64_t dims = weights.dims_size(), axis = given < 0 ? given + dims : given;
  size_t channels = 1, inner = 1;
  if (axis >= 0 && axis < dims && !values.empty()) {
    channels = static_cast<size_t>(weights.dims(static_cast<int>(axis)));
    for (int64_t i = axis + 1; i < dims; ++i) {
      inner *= static_cast<size_t>(weights.dims(static_cast<int>(i)));
    }
  }
  const auto fits = [&](size_t count) { return count == 1 || count == channels; };
  if (!fits(scales.size()) || !fits(zero_points.size()) || (type != TensorProto::UINT8 && type != TensorProto::INT8)) {
    return UnsupportedNode(node, absl::StrCat(scales.size(), " scales and ", zero_points.size(),
                                              " zero points of type ", type, ", expected one, or one for each of ",
                                              channels, " channels, and type uint8 (2) or int8 (3)"));
  }
  TensorProto result;
  *result.mutable_dims() = weights.dims();
  result.set_data_type(type);
  result.set_raw_data(type == TensorProto::INT8 ? Quantized<int8_t>(values, scales, zero_points, inner)
                                                : Quantized<uint8_t>(values, scales, zero_points, inner));
  return result;
}

}  // namespace lockstep
