#include "lib/int8/quantized_record.h"

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/base/status_macros.h"
#include "lib/dataset/dataset.h"
#include "lib/int8/quant_params.h"

namespace lockstep {
namespace {

absl::Status Contradiction(absl::string_view where, absl::string_view what) {
  return absl::DataLossError(absl::StrCat("network record: ", where, ": ", what, "; make it again with quantize"));
}

// Where a layer's input comes from.
struct Extent {
  uint32_t channels, height, width;
};

absl::StatusOr<LayerShape> ReadShape(const proto::QuantizedLayer& layer, const Extent& input) {
  LayerShape shape;
  shape.name = layer.name();
  shape.relu = layer.relu();
  shape.pool = layer.max_pool();
  const auto& sizes = layer.weight_shape();
  if (layer.kind() == "conv2d" && sizes.size() == 4 && sizes[2] == sizes[3]) {
    shape.kind = LayerKind::kConv2d;
    shape.in_height = input.height;
    shape.in_width = input.width;
    shape.kernel = sizes[2];
  } else if (layer.kind() == "linear" && sizes.size() == 2) {
    shape.kind = LayerKind::kLinear;
  } else {
    return Contradiction(layer.name(), absl::StrCat("kind '", layer.kind(), "' with ", sizes.size(),
                                                    " weight dimensions is neither conv2d (out, in, k, k) nor linear "
                                                    "(out, in)"));
  }
  shape.out_channels = sizes[0];
  shape.in_channels = sizes[1];
  return shape;
}

absl::Status CheckNumbers(const IntegerLayer& layer) {
  const LayerShape& shape = layer.shape;
  if (layer.weight.size() != shape.WeightSize()) {
    return Contradiction(shape.name,
                         absl::StrCat(layer.weight.size(), " weights, its shape wants ", shape.WeightSize()));
  }
  if (!layer.bias.empty() && layer.bias.size() != shape.out_channels) {
    return Contradiction(shape.name, absl::StrCat(layer.bias.size(), " biases for ", shape.out_channels, " outputs"));
  }
  for (const int8_t weight : layer.weight) {
    if (weight == std::numeric_limits<int8_t>::min()) {
      return Contradiction(shape.name, "a weight of -128, where weights lie in [-127, 127]");
    }
  }
  if (!std::isnormal(layer.multiplier) || layer.multiplier < 0) {
    return Contradiction(shape.name, absl::StrCat("a multiplier of ", layer.multiplier));
  }
  if (const absl::Status bound =
          CheckAccumulatorBound(AccumulatorBound(layer.weight, layer.bias, shape.out_channels), shape.name);
      !bound.ok()) {
    return Contradiction(shape.name, bound.message());
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<int8_t>> RunPixels(const IntegerNetwork& network, const proto::QuantizedNetwork& record,
                                              const uint8_t* pixels) {
  ASSIGN_OR_RETURN(const NormalizationTable normalization, NormalizationOf(record));
  return RunInteger(network, QuantizeImage(pixels, normalization, record.input_scale()).data());
}

// The first logit that differs, in words; empty when all are as expected.
absl::StatusOr<std::string> ReplayOne(const IntegerNetwork& network, const proto::QuantizedNetwork& record,
                                      const proto::ReplaySample& sample) {
  const std::string where = absl::StrCat("replay sample of test image ", sample.test_index());
  if (sample.pixels().size() != kImageBytes) {
    return Contradiction(where, absl::StrCat(sample.pixels().size(), " bytes of pixels, expected ", kImageBytes));
  }
  ASSIGN_OR_RETURN(const std::vector<int8_t> logits,
                   RunPixels(network, record, reinterpret_cast<const uint8_t*>(sample.pixels().data())));
  if (logits.size() != static_cast<size_t>(sample.expected_logit_size())) {
    return Contradiction(
        where, absl::StrCat(sample.expected_logit_size(), " expected logits for ", logits.size(), " outputs"));
  }
  for (int i = 0; i < sample.expected_logit_size(); ++i) {
    if (logits[i] != sample.expected_logit(i)) {
      return absl::StrCat("test image ", sample.test_index(), ", logit ", i, ": expected ", sample.expected_logit(i),
                          ", found ", logits[i]);
    }
  }
  return std::string();
}

}  // namespace

absl::StatusOr<IntegerNetwork> ToIntegerNetwork(const proto::QuantizedNetwork& record) {
  IntegerNetwork network;
  network.name = record.name();
  std::vector<LayerShape> shapes;
  Extent input = {kImageChannels, kImageHeight, kImageWidth};
  for (const proto::QuantizedLayer& source : record.layer()) {
    IntegerLayer layer;
    ASSIGN_OR_RETURN(layer.shape, ReadShape(source, input));
    layer.weight.assign(source.weight().begin(), source.weight().end());
    layer.bias.assign(source.bias().begin(), source.bias().end());
    layer.multiplier = source.multiplier();
    shapes.push_back(layer.shape);
    if (const absl::Status status = CheckShapes(shapes); !status.ok()) {
      return Contradiction(record.name(), status.message());
    }
    RETURN_IF_ERROR(CheckNumbers(layer));
    input = {layer.shape.out_channels, layer.shape.PooledHeight(), layer.shape.PooledWidth()};
    network.layers.push_back(std::move(layer));
  }
  if (const float scale = static_cast<float>(record.input_scale()); !std::isnormal(scale) || scale < 0) {
    return Contradiction(record.name(), absl::StrCat("an input scale of ", record.input_scale()));
  }
  if (network.layers.empty() || network.layers.front().shape.InputSize() != kImageBytes) {
    return Contradiction(record.name(), "its first layer does not read images of 3 x 32 x 32");
  }
  return network;
}

IntegerNetwork WithFloatBias(IntegerNetwork network, const FloatNetwork& source,
                             const proto::QuantizedNetwork& record) {
  for (size_t i = 0; i < network.layers.size(); ++i) {
    network.layers[i].bias.clear();
    for (const float bias : source.layers[i].bias) {
      const double scale = record.layer(static_cast<int>(i)).accumulator_scale();
      network.layers[i].float_bias.push_back(static_cast<float>(bias * scale));
    }
  }
  return network;
}

absl::StatusOr<NormalizationTable> NormalizationOf(const proto::QuantizedNetwork& record) {
  std::array<float, kImageChannels> mean, std;
  if (record.mean_size() != static_cast<int>(kImageChannels) || record.std_size() != static_cast<int>(kImageChannels)) {
    return Contradiction(record.name(), absl::StrCat(record.mean_size(), " means and ", record.std_size(),
                                                     " standard deviations for ", kImageChannels, " channels"));
  }
  for (uint32_t c = 0; c < kImageChannels; ++c) {
    mean[c] = static_cast<float>(record.mean(static_cast<int>(c)));
    std[c] = static_cast<float>(record.std(static_cast<int>(c)));
    if (!std::isfinite(mean[c]) || !std::isnormal(std[c]) || std[c] < 0) {
      return Contradiction(record.name(),
                           absl::StrCat("channel ", c, ": mean ", mean[c], ", standard deviation ", std[c]));
    }
  }
  return MakeNormalizationTable(mean, std);
}

absl::Status AddReplaySample(const IntegerNetwork& network, uint32_t test_index, const uint8_t* pixels,
                             proto::QuantizedNetwork& record) {
  ASSIGN_OR_RETURN(const std::vector<int8_t> logits, RunPixels(network, record, pixels));
  proto::ReplaySample& sample = *record.add_replay();
  sample.set_test_index(test_index);
  sample.set_pixels(pixels, kImageBytes);
  sample.mutable_expected_logit()->Add(logits.begin(), logits.end());
  return absl::OkStatus();
}

absl::Status Replay(const proto::QuantizedNetwork& record) {
  ASSIGN_OR_RETURN(const IntegerNetwork network, ToIntegerNetwork(record));
  if (record.replay().empty()) {
    return absl::FailedPreconditionError(absl::StrCat("network ", record.name(), ": its record has no replay samples"));
  }
  std::string first;
  int different = 0;
  for (const proto::ReplaySample& sample : record.replay()) {
    ASSIGN_OR_RETURN(const std::string difference, ReplayOne(network, record, sample));
    different += difference.empty() ? 0 : 1;
    first = first.empty() ? difference : first;
  }
  if (different > 0) {
    return absl::AbortedError(absl::StrCat("network ", record.name(), ": ", different, " of ", record.replay_size(),
                                           " replayed images give other logits than recorded; first: ", first));
  }
  return absl::OkStatus();
}

}  // namespace lockstep
