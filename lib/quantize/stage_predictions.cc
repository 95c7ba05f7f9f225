#include "lib/quantize/stage_predictions.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/progress.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/quantize/image_batches.h"
#include "lib/quantize/torch_forward.h"
#include "lib/record/digest.h"

namespace lockstep {
namespace {

// Large enough to make LibTorch's cost per call negligible; resnet18 keeps 5 MB of activations for each image.
constexpr size_t kTorchBatch = 100;
// Enough for a tile of images on each of several threads; resnet18 takes about half a second for them on one thread.
constexpr size_t kIntegerBatch = 250;
constexpr size_t kLabBatch = 4;

// Runs the network on all images of `selection`, batch by batch. `observer` may be null; it is called with each batch's
// images and returns the batch's observer. `logits` is called with the index of the batch's first image in `selection`
// and with the batch's logits.
absl::Status RunBatches(const FloatNetwork& network, const ImageSelection& selection, const ProgressPart& part,
                        c10::Device device,
                        const std::function<BatchObserver(const std::vector<float>& images)>& observer,
                        const std::function<absl::Status(size_t first, const std::vector<float>& logits)>& logits) {
  ASSIGN_OR_RETURN(const std::unique_ptr<TorchForward> forward, TorchForward::Make(network, device));
  return ForEachBatch(selection, kTorchBatch, part, [&](const ImageBatch& batch) -> absl::Status {
    ASSIGN_OR_RETURN(const std::vector<float> found,
                     forward->Run(batch.images, batch.size(), observer ? observer(batch.images) : nullptr));
    return logits(batch.first, found);
  });
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
                                                     const NormalizationTable& normalization, const ProgressPart& part,
                                                     c10::Device device) {
  const size_t classes = network.layers.back().shape.Pooled().Size();
  std::vector<Prediction> predictions;
  const auto predict = [&](size_t first, const std::vector<float>& logits) -> absl::Status {
    for (size_t i = 0; i < logits.size() / classes; ++i) {
      ASSIGN_OR_RETURN(const Prediction prediction, PredictFinite(&logits[i * classes], classes, first + i));
      predictions.push_back(prediction);
    }
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(RunBatches(network, AllImages(images, normalization), part, device, nullptr, predict));
  return predictions;
}

absl::StatusOr<IntegerPredictions> PredictInteger(const IntegerNetwork& network, const ImageSet& images,
                                                  const ImageTable& table, const MakeIntegerRunner& make,
                                                  const ProgressPart& part) {
  ASSIGN_OR_RETURN(const IntegerRunner run, make(network));
  const size_t classes = network.layers.back().shape.Pooled().Size();
  Progress progress(part, images.size(), "images");
  IntegerPredictions result;
  Sha256 digest;
  std::vector<int8_t> batch(kIntegerBatch * kImageBytes);
  std::vector<int32_t> logits(kIntegerBatch * classes);
  for (size_t first = 0; first < images.size(); first += kIntegerBatch) {
    RETURN_IF_ERROR(CheckNotStopped());
    const size_t count = std::min(kIntegerBatch, images.size() - first);
    for (size_t i = 0; i < count; ++i) {
      QuantizeImage(images.pixels.data() + (first + i) * kImageBytes, table, &batch[i * kImageBytes]);
    }
    RETURN_IF_ERROR(run(batch.data(), count, logits.data(), nullptr));
    for (size_t i = 0; i < count; ++i) {
      result.predictions.push_back(Predict(&logits[i * classes], classes));
    }
    digest.Update(LittleEndian(logits.data(), count * classes));
    progress.Update(first + count);
  }
  result.logits_sha256 = digest.HexDigest();
  return result;
}

absl::StatusOr<Calibration> Calibrate(const FloatNetwork& network, const ImageSelection& images, bool first_samples,
                                      const ProgressPart& part, c10::Device device) {
  Calibrator calibrator(network);
  const size_t last = network.layers.size() - 1, outputs = network.layers.back().shape.Out().Size();
  static_assert(kTorchBatch % kLabBatch == 0, "a batch begins with the first sample of one of the lab's");
  const auto observe = [&](const BatchActivations& values) {
    if (!first_samples || values.layer != last) {
      calibrator.AddLayer(values.layer, values.before, values.after, values.size);
      return;
    }
    for (size_t at = 0; at < values.size; at += kLabBatch * outputs) {
      calibrator.AddLayer(last, values.before + at, values.after == nullptr ? nullptr : values.after + at, outputs);
    }
  };
  const auto observer = [&](const std::vector<float>& batch) -> BatchObserver {
    calibrator.AddInput(batch.data(), batch.size());
    return observe;
  };
  RETURN_IF_ERROR(RunBatches(network, images, part, device, observer,
                             [](size_t, const std::vector<float>&) { return absl::OkStatus(); }));
  return std::move(calibrator).Finish();
}

absl::StatusOr<FloatNetwork> WithCorrectedBiases(const FloatNetwork& network, const proto::QuantizedNetwork& record,
                                                 const ImageSelection& images, const ProgressPart& part,
                                                 c10::Device device) {
  ASSIGN_OR_RETURN(const std::unique_ptr<TorchForward> forward, TorchForward::Make(network, record, device));
  std::vector<std::vector<double>> means(network.layers.size());
  for (size_t i = 0; i < means.size(); ++i) {
    means[i].resize(network.layers[i].bias.size());
  }
  RETURN_IF_ERROR(ForEachBatch(images, kTorchBatch, part, [&](const ImageBatch& batch) -> absl::Status {
    ASSIGN_OR_RETURN(const std::vector<std::vector<double>> errors,
                     forward->MeanWeightErrors(batch.images, batch.size()));
    const double share = static_cast<double>(batch.size()) / static_cast<double>(images.indices.size());
    for (size_t i = 0; i < means.size(); ++i) {
      for (size_t o = 0; o < means[i].size(); ++o) {
        means[i][o] += errors[i][o] * share;
      }
    }
    return absl::OkStatus();
  }));
  FloatNetwork corrected = network;
  for (size_t i = 0; i < means.size(); ++i) {
    for (size_t o = 0; o < means[i].size(); ++o) {
      float& bias = corrected.layers[i].bias[o];
      bias = static_cast<float>(bias - means[i][o]);
    }
  }
  return corrected;
}

}  // namespace lockstep
