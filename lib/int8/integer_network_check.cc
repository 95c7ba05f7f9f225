#include "lib/int8/integer_network_check.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

constexpr size_t kMaxValues = size_t{1} << 30;  // of a tensor: offsets have 32 bits

absl::Status CheckSizes(const IntegerLayer& layer, bool is_last) {
  const auto wrong = [&](absl::string_view what) {
    return absl::FailedPreconditionError(absl::StrCat(layer.shape.name, ": ", what));
  };
  const LayerShape& shape = layer.shape;
  const size_t outputs = shape.HasWeights() ? shape.out_channels : 0;
  if (layer.weight.size() != shape.WeightSize()) {
    return wrong("the number of weights is not the shape's");
  }
  if ((!layer.bias.empty() && layer.bias.size() != outputs) ||
      (!layer.float_bias.empty() && layer.float_bias.size() != outputs)) {
    return wrong("the number of biases is not that of outputs");
  }
  const size_t multipliers = shape.kind == LayerKind::kGlobalAveragePool ? 1 : outputs;
  if (layer.WritesSums()) {
    return is_last && !shape.relu && shape.pool == 0 && layer.float_bias.empty()
               ? absl::OkStatus()
               : wrong("writes sums, but is not a last layer without ReLU, max-pooling and float bias");
  }
  return layer.multiplier.size() == multipliers ? absl::OkStatus() : wrong("the number of multipliers is not its own");
}

}  // namespace

absl::Status CheckIntegerNetwork(const IntegerNetwork& network) {
  RETURN_IF_ERROR(CheckShapes(network.Shapes()));
  for (const IntegerLayer& layer : network.layers) {
    const size_t largest = std::max(layer.shape.In().Size(), std::max(layer.shape.Out().Size(), layer.weight.size()));
    if (largest > kMaxValues) {
      return absl::FailedPreconditionError(
          absl::StrCat(layer.shape.name, ": a tensor of ", largest, " values is above ", kMaxValues));
    }
    RETURN_IF_ERROR(CheckSizes(layer, &layer == &network.layers.back()));
  }
  return absl::OkStatus();
}

}  // namespace lockstep
