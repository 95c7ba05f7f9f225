#include "lib/int8/calibration.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace lockstep {

Calibrator::Calibrator(const FloatNetwork& network) : shapes_(network.Shapes()) {
  calibration_.layers.resize(shapes_.size());
}

void Calibrator::AddLayer(size_t layer, const float* before, const float* after, size_t size) {
  calibration_.layers[layer].before_relu.Add(before, size);
  if (shapes_[layer].relu) {
    calibration_.layers[layer].after_relu.Add(after, size);
  }
}

absl::StatusOr<Calibration> Calibrator::Finish() && {
  if (!calibration_.input.finite()) {
    return absl::FailedPreconditionError("the normalised images hold NaN or infinity; is a channel's std 0?");
  }
  for (size_t i = 0; i < shapes_.size(); ++i) {
    const FineHistogram& values = calibration_.layers[i].before_relu;
    if (values.size() == 0) {
      return absl::FailedPreconditionError(absl::StrCat(shapes_[i].name, ": calibration needs at least one image"));
    }
    if (!values.finite()) {
      return absl::FailedPreconditionError(absl::StrCat(
          shapes_[i].name,
          ": gives NaN or infinity on the calibration images; int8 needs finite values. Did training diverge?"));
    }
  }
  return std::move(calibration_);
}

std::vector<float> NormalizedImage(const ImageSet& set, uint32_t index, const NormalizationTable& normalization) {
  std::vector<float> image(kImageBytes);
  AugmentImage(set.pixels.data() + size_t{index} * kImageBytes, Augmentation(), normalization, image.data());
  return image;
}

}  // namespace lockstep
