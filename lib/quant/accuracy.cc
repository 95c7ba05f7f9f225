#include "lib/quant/accuracy.h"

namespace lockstep {

proto::AccuracyStep CountAccuracy(proto::QuantizeStage stage, const std::vector<Prediction>& predictions,
                                  const std::vector<Prediction>& baseline, const std::vector<uint8_t>& labels) {
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
  return step;
}

}  // namespace lockstep
