#include "lib/int8/calibration.h"

#include <functional>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/int8/float_reference.h"
#include "lib/int8/histogram.h"

namespace lockstep {
namespace {

using Visit = std::function<void(ValueStatistics&, const std::vector<float>&)>;

// Shows `visit` the values of every image: the input's, and each layer's before and after ReLU.
absl::Status VisitAll(const FloatNetwork& network, const ImageSelection& images, const Visit& visit,
                      Calibration& calibration) {
  for (const uint32_t index : images.indices) {
    RETURN_IF_ERROR(CheckNotStopped());
    const std::vector<float> image = NormalizedImage(images.set, index, images.normalization);
    visit(calibration.input, image);
    RunFloat(network, image.data(),
             [&](size_t layer, const std::vector<float>& before, const std::vector<float>& after) {
               visit(calibration.layers[layer].before_relu, before);
               visit(calibration.layers[layer].after_relu, after);
             });
  }
  return absl::OkStatus();
}

void MakeHistogram(ValueStatistics& statistics) {
  statistics.histogram = EmptyHistogram(statistics.summary.min(), statistics.summary.max());
}

absl::Status CheckFinite(const FloatNetwork& network, const Calibration& calibration) {
  if (!calibration.input.summary.finite()) {
    return absl::FailedPreconditionError("the normalised images hold NaN or infinity; is a channel's std 0?");
  }
  for (size_t i = 0; i < calibration.layers.size(); ++i) {
    if (!calibration.layers[i].before_relu.summary.finite()) {
      return absl::FailedPreconditionError(absl::StrCat(network.layers[i].shape.name,
                                                        ": gives NaN or infinity on the calibration images; int8 wants "
                                                        "finite values. Did training diverge?"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<float> NormalizedImage(const ImageSet& set, uint32_t index, const NormalizationTable& normalization) {
  std::vector<float> image(kImageBytes);
  AugmentImage(set.pixels.data() + size_t{index} * kImageBytes, Augmentation(), normalization, image.data());
  return image;
}

absl::StatusOr<Calibration> Calibrate(const FloatNetwork& network, const ImageSelection& images) {
  if (images.indices.empty()) {
    return absl::FailedPreconditionError("calibration wants at least one image");
  }
  Calibration calibration;
  calibration.layers.resize(network.layers.size());
  const Visit add_to_range = [](ValueStatistics& statistics, const std::vector<float>& values) {
    statistics.summary.Add(values.data(), values.size());
  };
  RETURN_IF_ERROR(VisitAll(network, images, add_to_range, calibration));
  RETURN_IF_ERROR(CheckFinite(network, calibration));

  MakeHistogram(calibration.input);
  for (LayerStatistics& layer : calibration.layers) {
    MakeHistogram(layer.before_relu);
    MakeHistogram(layer.after_relu);
  }
  const Visit add_to_histogram = [](ValueStatistics& statistics, const std::vector<float>& values) {
    AddToHistogram(values.data(), values.size(), statistics.histogram);
  };
  RETURN_IF_ERROR(VisitAll(network, images, add_to_histogram, calibration));
  return calibration;
}

}  // namespace lockstep
