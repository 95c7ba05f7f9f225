#include "lib/quantize/layer_study.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/int8/accuracy.h"
#include "lib/int8/quantize_layers.h"
#include "lib/quantize/image_batches.h"
#include "lib/quantize/torch_forward.h"

namespace lockstep {
namespace {

constexpr size_t kBatch = 50;  // images per batch, whose activations are stored twice

// Signal and noise energies over all images.
class Noise {
 public:
  void Add(const float* clean, const float* noisy, size_t size) {
    for (size_t i = 0; i < size; ++i) {
      const double difference = static_cast<double>(noisy[i]) - clean[i];
      signal_ += static_cast<double>(clean[i]) * clean[i];
      noise_ += difference * difference;
    }
  }

  std::optional<double> Decibels() const {
    return noise_ > 0 && signal_ > 0 ? std::make_optional(10 * std::log10(signal_ / noise_)) : std::nullopt;
  }

 private:
  double signal_ = 0;
  double noise_ = 0;
};

// Returns the number of a batch's images for which these logits predict the label.
uint32_t CountCorrect(const std::vector<float>& logits, const ImageBatch& batch) {
  const size_t classes = logits.size() / batch.size();
  uint32_t correct = 0;
  for (size_t i = 0; i < batch.size(); ++i) {
    correct += Predict(&logits[i * classes], classes).label == batch.labels[i] ? 1 : 0;
  }
  return correct;
}

// Returns a bar's part of `part`; the time of the rest of `part` is unknown.
ProgressPart PartOf(const ProgressPart& part, const std::string& name) {
  return {absl::StrCat(part.label, ", ", name), -1};
}

// Comparison of a network's outputs with the labels and with fp32.
struct Answers {
  uint32_t correct = 0;
  double divergence = 0;  // sum of ClassDivergence

  void Add(const std::vector<float>& logits, const std::vector<float>& fp32, const ImageBatch& batch) {
    correct += CountCorrect(logits, batch);
    const size_t classes = logits.size() / batch.size();
    for (size_t i = 0; i < batch.size(); ++i) {
      divergence += ClassDivergence(&fp32[i * classes], &logits[i * classes], classes);
    }
  }
};

struct Studied {
  Noise noise_alone, noise_cumulative;
  Answers alone, without;
};

absl::StatusOr<uint32_t> CorrectOfAll(const TorchForward& forward, const ImageSelection& selection,
                                      const Int8Mask& int8, const ProgressPart& part) {
  uint32_t correct = 0;
  RETURN_IF_ERROR(ForEachBatch(selection, kBatch, part, [&](const ImageBatch& batch) -> absl::Status {
    ASSIGN_OR_RETURN(const std::vector<float> logits, forward.Run(batch.images, batch.size(), nullptr, int8));
    correct += CountCorrect(logits, batch);
    return absl::OkStatus();
  }));
  return correct;
}

// Study of all tensors in turn: the image's, then each layer's.
class Study {
 public:
  Study(const FloatNetwork& network, const TorchForward& forward)
      : forward_(forward), studied_(network.layers.size() + 1) {}

  absl::Status Add(const ImageBatch& batch) {
    std::vector<std::vector<float>> clean(studied_.size());
    const auto keep = [&](const BatchActivations& values) {
      clean[values.layer + 1].assign(values.written, values.written + values.size);
    };
    ASSIGN_OR_RETURN(fp32_logits_, forward_.Run(batch.images, batch.size(), keep));
    correct_fp32_ += CountCorrect(fp32_logits_, batch);
    const auto compare = [&](const BatchActivations& values) {
      studied_[values.layer + 1].noise_cumulative.Add(clean[values.layer + 1].data(), values.written, values.size);
    };
    RETURN_IF_ERROR(AddAnswers(batch, compare, Int8Mask(studied_.size(), true), std::nullopt, int8_));
    for (size_t tensor = 0; tensor < studied_.size(); ++tensor) {
      RETURN_IF_ERROR(CheckNotStopped());
      RETURN_IF_ERROR(AddTensor(tensor, batch, clean));
    }
    return absl::OkStatus();
  }

  proto::LayerStudy Result(const FloatNetwork& network, const proto::QuantizedNetwork& record, size_t images) const {
    proto::LayerStudy result;
    result.set_images(static_cast<uint32_t>(images));
    result.set_correct_fp32(correct_fp32_);
    result.set_correct_int8(int8_.correct);
    result.set_divergence_int8(int8_.divergence / static_cast<double>(images));
    const FloatNetwork int8 = WithInt8Weights(network, record);
    for (size_t tensor = 0; tensor < studied_.size(); ++tensor) {
      const Studied& studied = studied_[tensor];
      proto::StudiedLayer& layer = *result.add_layer();
      layer.set_name(tensor == 0 ? "image" : network.layers[tensor - 1].shape.name);
      layer.set_correct_alone(studied.alone.correct);
      layer.set_correct_without(studied.without.correct);
      layer.set_divergence_alone(studied.alone.divergence / static_cast<double>(images));
      layer.set_divergence_without(studied.without.divergence / static_cast<double>(images));
      Noise weights;
      if (tensor > 0) {
        const std::vector<float>& clean = network.layers[tensor - 1].weight;
        weights.Add(clean.data(), int8.layers[tensor - 1].weight.data(), clean.size());
      }
      if (const std::optional<double> snr = weights.Decibels()) {
        layer.set_weight_snr_db(*snr);
      }
      if (const std::optional<double> snr = studied.noise_alone.Decibels()) {
        layer.set_alone_snr_db(*snr);
      }
      if (const std::optional<double> snr = studied.noise_cumulative.Decibels()) {
        layer.set_cumulative_snr_db(*snr);
      }
    }
    return result;
  }

 private:
  // `observe` and `layer` as for TorchForward::Run.
  absl::Status AddAnswers(const ImageBatch& batch, const BatchObserver& observe, const Int8Mask& int8,
                          std::optional<size_t> layer, Answers& answers) {
    ASSIGN_OR_RETURN(const std::vector<float> logits, forward_.Run(batch.images, batch.size(), observe, int8, layer));
    answers.Add(logits, fp32_logits_, batch);
    return absl::OkStatus();
  }

  absl::Status AddTensor(size_t tensor, const ImageBatch& batch, const std::vector<std::vector<float>>& clean) {
    Int8Mask alone(studied_.size(), false), without(studied_.size(), true);
    alone[tensor] = true;
    without[tensor] = false;
    const auto compare = [&](const BatchActivations& values) {
      studied_[tensor].noise_alone.Add(clean[tensor].data(), values.written, values.size);
    };
    std::optional<size_t> layer;  // stays empty for the image
    if (tensor > 0) {
      layer = tensor - 1;
    }
    RETURN_IF_ERROR(AddAnswers(batch, layer ? BatchObserver(compare) : nullptr, alone, layer, studied_[tensor].alone));
    return AddAnswers(batch, nullptr, without, std::nullopt, studied_[tensor].without);
  }

  const TorchForward& forward_;
  std::vector<Studied> studied_;
  std::vector<float> fp32_logits_;  // logits of the current batch
  uint32_t correct_fp32_ = 0;
  Answers int8_;
};

}  // namespace

absl::StatusOr<proto::LayerStudy> StudyLayers(const FloatNetwork& network, const proto::QuantizedNetwork& record,
                                              const ImageSelection& images, const ProgressPart& part,
                                              c10::Device device) {
  ASSIGN_OR_RETURN(const std::unique_ptr<TorchForward> forward, TorchForward::Make(network, record, device));
  Study study(network, *forward);
  RETURN_IF_ERROR(ForEachBatch(images, kBatch, part, [&](const ImageBatch& batch) { return study.Add(batch); }));
  return study.Result(network, record, images.indices.size());
}

std::vector<std::string> BySensitivity(const proto::LayerStudy& study) {
  std::vector<const proto::StudiedLayer*> layers;
  for (const proto::StudiedLayer& layer : study.layer()) {
    layers.push_back(&layer);
  }
  std::stable_sort(layers.begin(), layers.end(), [](const auto* a, const auto* b) {
    return a->divergence_without() != b->divergence_without() ? a->divergence_without() < b->divergence_without()
                                                              : a->divergence_alone() > b->divergence_alone();
  });
  std::vector<std::string> names;
  for (const proto::StudiedLayer* layer : layers) {
    names.push_back(layer->name());
  }
  return names;
}

absl::Status AddFallback(const FloatNetwork& network, const proto::QuantizedNetwork& record,
                         const ImageSelection& images, const ImageSet& test, double wanted_drop,
                         const ProgressPart& part, proto::LayerStudy& study, c10::Device device) {
  const double wanted = study.correct_fp32() - wanted_drop / 100 * study.images();
  if (study.correct_int8() >= wanted) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<TorchForward> forward, TorchForward::Make(network, record, device));
  Int8Mask int8(static_cast<size_t>(study.layer_size()), true);
  for (const std::string& name : BySensitivity(study)) {
    for (int i = 0; i < study.layer_size(); ++i) {
      int8[static_cast<size_t>(i)] = int8[static_cast<size_t>(i)] && study.layer(i).name() != name;
    }
    ASSIGN_OR_RETURN(const uint32_t correct, CorrectOfAll(*forward, images, int8, PartOf(part, name)));
    proto::FallbackStep& step = *study.add_fallback();
    step.set_layer(name);
    step.set_correct(correct);
    if (correct >= wanted) {
      break;
    }
  }
  ASSIGN_OR_RETURN(const uint32_t correct,
                   CorrectOfAll(*forward, AllImages(test, images.normalization), int8, PartOf(part, "test images")));
  study.set_fallback_test_correct(correct);
  study.set_fallback_test_images(static_cast<uint32_t>(test.size()));
  return absl::OkStatus();
}

}  // namespace lockstep
