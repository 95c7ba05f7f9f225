#include "lib/int8/accuracy.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/statistics/paired_proportions.h"

namespace lockstep {
namespace {

std::string StepName(proto::QuantizeStage stage) {
  switch (stage) {
    case proto::FP32_NETWORK:
      return "fp32";
    case proto::INT8_WEIGHTS:
      return "int8 weights";
    case proto::INT8_WEIGHTS_ACTIVATIONS:
      return "and activations";
    case proto::INT8_WEIGHTS_ACTIVATIONS_BIAS:
      return "and bias";
    case proto::INT8_WEIGHTS_UNSCALED_BIAS:
      return "the lab's weights with biases unscaled";
    case proto::INT8_FINE_TUNED:
      return "fine-tuned";
    default:
      return proto::QuantizeStage_Name(stage);
  }
}

// Returns the logarithm of the sum of the exponentials.
double LogTotal(const float* logits, size_t classes) {
  const double largest = *std::max_element(logits, logits + classes);
  double total = 0;
  for (size_t i = 0; i < classes; ++i) {
    total += std::exp(logits[i] - largest);
  }
  return largest + std::log(total);
}

std::string StepSummary(const proto::AccuracyStep& step) {
  if (!step.absent_reason().empty()) {
    return absl::StrCat(StepName(step.stage()), " - (", step.absent_reason(), ")");
  }
  std::string text = absl::StrFormat("%s %.2f %%", StepName(step.stage()), 100.0 * step.correct() / step.images());
  if (step.stage() != proto::FP32_NETWORK) {
    absl::StrAppend(&text, " (+", step.flips_to_right(), " -", step.flips_to_wrong(), ")");
  }
  return text;
}

}  // namespace

double ClassDivergence(const float* logits, const float* other, size_t classes) {
  const double total = LogTotal(logits, classes), other_total = LogTotal(other, classes);
  double divergence = 0;
  for (size_t i = 0; i < classes; ++i) {
    const double log_probability = logits[i] - total;
    divergence += std::exp(log_probability) * (log_probability - (other[i] - other_total));
  }
  return std::max(divergence, 0.0);  // rounding can make it slightly negative
}

proto::AccuracyStep CountAccuracy(proto::QuantizeStage stage, const std::vector<Prediction>& predictions,
                                  const std::vector<Prediction>& baseline, const std::vector<uint16_t>& labels) {
  uint32_t correct = 0, to_wrong = 0, to_right = 0, ties = 0;
  for (size_t i = 0; i < labels.size(); ++i) {
    const bool right = predictions[i].label == labels[i];
    const bool was_right = baseline[i].label == labels[i];
    correct += right ? 1 : 0;
    to_wrong += was_right && !right ? 1 : 0;
    to_right += !was_right && right ? 1 : 0;
    ties += predictions[i].tie ? 1 : 0;
  }
  proto::AccuracyStep step;
  step.set_stage(stage);
  step.set_correct(correct);
  step.set_images(static_cast<uint32_t>(labels.size()));
  step.set_flips_to_wrong(to_wrong);
  step.set_flips_to_right(to_right);
  step.set_argmax_ties(ties);
  if (stage != proto::FP32_NETWORK) {
    const PairedChanges changes = {to_wrong, to_right, labels.size()};
    const Interval difference = PairedDifferenceInterval(changes);
    step.set_difference_low(difference.low);
    step.set_difference_high(difference.high);
    step.set_mcnemar_p(McNemarExactP(changes));
  }
  return step;
}

std::string AccuracySummary(const proto::QuantizedNetwork& network) {
  std::vector<std::string> steps;
  uint32_t images = 0, ties = 0;
  for (const proto::AccuracyStep& step : network.step()) {
    steps.push_back(StepSummary(step));
    images = std::max(images, step.images());
    ties = std::max(ties, step.argmax_ties());
  }
  return absl::StrCat(network.name(), " on ", images, " test images: ", absl::StrJoin(steps, ", "),
                      "; argmax ties: ", ties);
}

}  // namespace lockstep
