#include "lib/int8/integer_network_check.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/base/status_macros.h"
#include "lib/int8/quant_params.h"

namespace lockstep {
namespace {

absl::Status Wrong(const LayerShape& shape, absl::string_view what) {
  return absl::FailedPreconditionError(absl::StrCat(shape.name, ": ", what));
}

constexpr size_t kMaxValues = size_t{1} << 30;

absl::Status CheckSize(const LayerShape& shape) {
  const size_t largest = std::max({shape.In().Size(), shape.Out().Size(), shape.WeightSize()});
  return largest <= kMaxValues ? absl::OkStatus()
                               : Wrong(shape, absl::StrCat("a tensor of ", largest, " values is above ", kMaxValues));
}

absl::Status CheckWeights(const IntegerLayer& layer, int32_t input_zero_point) {
  const LayerShape& shape = layer.shape;
  if (layer.weight.size() != shape.WeightSize()) {
    return Wrong(shape, absl::StrCat(layer.weight.size(), " weights, its shape needs ", shape.WeightSize()));
  }
  const size_t outputs = shape.HasWeights() ? shape.out_channels : 0;
  for (const size_t biases : {layer.bias.size(), layer.float_bias.size()}) {
    if (biases != 0 && biases != outputs) {
      return Wrong(shape, absl::StrCat(biases, " biases for ", outputs, " outputs"));
    }
  }
  if (!shape.HasWeights()) {
    return absl::OkStatus();
  }
  if (std::count(layer.weight.begin(), layer.weight.end(), std::numeric_limits<int8_t>::min()) > 0) {
    return Wrong(shape, "a weight of -128, expected weights in [-127, 127]");
  }
  return CheckAccumulatorBound(AccumulatorBound(layer.weight, layer.bias, outputs, input_zero_point), shape.name);
}

absl::Status CheckMultipliers(const IntegerLayer& layer, bool is_last) {
  const LayerShape& shape = layer.shape;
  if (layer.WritesSums()) {
    return is_last && !shape.relu && shape.pool == 0 && layer.float_bias.empty()
               ? absl::OkStatus()
               : Wrong(shape,
                       "writes sums, which only a last, weighted layer without ReLU, max-pooling and float bias may");
  }
  const size_t wanted = shape.HasWeights() ? shape.out_channels : shape.kind == LayerKind::kGlobalAveragePool ? 1 : 0;
  return layer.multiplier.size() == wanted
             ? absl::OkStatus()
             : Wrong(shape, absl::StrCat(layer.multiplier.size(), " multipliers for ", wanted, " channels"));
}

}  // namespace

absl::Status CheckIntegerNetwork(const IntegerNetwork& network) {
  RETURN_IF_ERROR(CheckShapes(network.Shapes()));
  for (const IntegerLayer& layer : network.layers) {
    RETURN_IF_ERROR(CheckSize(layer.shape));
    RETURN_IF_ERROR(CheckWeights(layer, network.ZeroPoint(layer.shape.inputs[0])));
    RETURN_IF_ERROR(CheckMultipliers(layer, &layer == &network.layers.back()));
  }
  return absl::OkStatus();
}

}  // namespace lockstep
