// Accuracy from logits: predictions, ties, and flips compared with another network on the same images.
#ifndef LOCKSTEP_LIB_INT8_ACCURACY_H_
#define LOCKSTEP_LIB_INT8_ACCURACY_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/proto/quantized.pb.h"

namespace lockstep {

// One network's prediction for one image.
struct Prediction {
  uint32_t label = 0;  // index of the largest logit; of equal logits the first
  bool tie = false;    // another logit is as large
};

// Returns the prediction from `logits`, an array of `classes` values. `classes` must be at least 1, and no logit may be
// NaN. Logit is float or int8_t.
template <typename Logit>
Prediction Predict(const Logit* logits, size_t classes) {
  Prediction prediction;
  for (uint32_t i = 1; i < classes; ++i) {
    if (logits[i] > logits[prediction.label]) {
      prediction = {.label = i};
    } else if (logits[i] == logits[prediction.label]) {
      prediction.tie = true;
    }
  }
  return prediction;
}

// Returns the Kullback-Leibler divergence, in nats, of the class probabilities (softmax) of `other` from those of
// `logits`. It measures how well two networks agree, also where both are right. Both arrays must hold `classes` finite
// logits.
double ClassDivergence(const float* logits, const float* other, size_t classes);

// Compares one stage with `baseline`, the fp32 network, on the same images. `labels`: uint8 (n).
proto::AccuracyStep CountAccuracy(proto::QuantizeStage stage, const std::vector<Prediction>& predictions,
                                  const std::vector<Prediction>& baseline, const std::vector<uint16_t>& labels);

// Returns one line with a network's accuracies, in the lab's order:
//     lenet5_bias on 10000 test images: fp32 54.66 %, int8 weights 54.40 % (+10 -36), ...; argmax ties: 3
// where +a -b are the numbers of images that became right and wrong compared with fp32.
std::string AccuracySummary(const proto::QuantizedNetwork& network);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_ACCURACY_H_
