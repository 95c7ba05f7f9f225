#include "lib/quantize/stage_predictions.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "lib/base/progress.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/int8/calibration.h"
#include "lib/quantize/torch_network.h"

namespace lockstep {
namespace {

// Large enough that LibTorch's cost per call does not show, small enough for 12 MB of images.
constexpr size_t kTorchBatch = 1000;
// Images between two looks at the stop flag and the progress bar.
constexpr size_t kProgressStep = 100;

std::vector<float> NormalizedBatch(const ImageSet& images, size_t first, size_t count,
                                   const NormalizationTable& normalization) {
  std::vector<float> batch;
  batch.reserve(count * kImageBytes);
  for (size_t i = first; i < first + count; ++i) {
    const std::vector<float> image = NormalizedImage(images, static_cast<uint32_t>(i), normalization);
    batch.insert(batch.end(), image.begin(), image.end());
  }
  return batch;
}

absl::StatusOr<Prediction> PredictFinite(const float* logits, size_t classes, size_t image) {
  for (size_t c = 0; c < classes; ++c) {
    if (!std::isfinite(logits[c])) {
      return absl::FailedPreconditionError(absl::StrCat("test image ", image, ": logit ", c, " is ", logits[c],
                                                        "; expected finite logits. Did training diverge?"));
    }
  }
  return Predict(logits, classes);
}

}  // namespace

absl::StatusOr<std::vector<Prediction>> PredictFloat(const FloatNetwork& network, const ImageSet& images,
                                                     const NormalizationTable& normalization,
                                                     const std::string& label) {
  const size_t classes = network.layers.back().shape.PooledSize();
  Progress progress(label, images.size(), "images");
  std::vector<Prediction> predictions;
  for (size_t first = 0; first < images.size(); first += kTorchBatch) {
    RETURN_IF_ERROR(CheckNotStopped());
    const size_t count = std::min(kTorchBatch, images.size() - first);
    ASSIGN_OR_RETURN(const std::vector<float> logits,
                     TorchLogits(network, NormalizedBatch(images, first, count, normalization)));
    for (size_t i = 0; i < count; ++i) {
      ASSIGN_OR_RETURN(const Prediction prediction, PredictFinite(&logits[i * classes], classes, first + i));
      predictions.push_back(prediction);
    }
    progress.Update(predictions.size());
  }
  return predictions;
}

absl::StatusOr<std::vector<Prediction>> PredictInteger(const IntegerNetwork& network, const ImageSet& images,
                                                       const NormalizationTable& normalization, double input_scale,
                                                       const std::string& label) {
  Progress progress(label, images.size(), "images");
  std::vector<Prediction> predictions;
  for (size_t i = 0; i < images.size(); ++i) {
    if (i % kProgressStep == 0) {
      RETURN_IF_ERROR(CheckNotStopped());
      progress.Update(i);
    }
    const std::vector<int8_t> image = QuantizeImage(images.pixels.data() + i * kImageBytes, normalization, input_scale);
    const std::vector<int8_t> logits = RunInteger(network, image.data());
    predictions.push_back(Predict(logits.data(), logits.size()));
  }
  return predictions;
}

}  // namespace lockstep
