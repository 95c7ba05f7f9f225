// From logits to accuracy: predictions, ties, and flips against another network on the same images.
#ifndef LOCKSTEP_LIB_INT8_ACCURACY_H_
#define LOCKSTEP_LIB_INT8_ACCURACY_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/proto/quantized.pb.h"

namespace lockstep {

// What a network says of one image.
struct Prediction {
  uint32_t label = 0;  // of the largest logit; of equal ones the first
  bool tie = false;    // another logit is as large
};

// `logits`: `classes` of them, at least one, no NaN. Logit is float or int8_t.
template <typename Logit>
Prediction Predict(const Logit* logits, size_t classes) {
  Prediction prediction;
  for (uint32_t i = 1; i < classes; ++i) {
    if (logits[i] > logits[prediction.label]) {
      prediction = {i, false};
    } else if (logits[i] == logits[prediction.label]) {
      prediction.tie = true;
    }
  }
  return prediction;
}

// The Kullback-Leibler divergence of `other`'s class probabilities (softmax) from those of `logits`, in nats: how much of
// what a network says another one says, too, also where both are right. `classes` finite logits each.
double ClassDivergence(const float* logits, const float* other, size_t classes);

// Counts one stage over the same images as `baseline`, the fp32 network. `labels`: uint8 (n).
proto::AccuracyStep CountAccuracy(proto::QuantizeStage stage, const std::vector<Prediction>& predictions,
                                  const std::vector<Prediction>& baseline, const std::vector<uint8_t>& labels);

// A network's accuracies beside each other, in the lab's order:
//     lenet5_bias: fp32 54.66 %, int8 weights 54.40 % (+10 -36), ... 3 argmax ties
// where +a -b are the images that became right and wrong against fp32.
std::string AccuracySummary(const proto::QuantizedNetwork& network);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_ACCURACY_H_
