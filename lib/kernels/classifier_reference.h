// Reference implementation of classifier.h: the same formulas as loops on the host, in double.
#ifndef LOCKSTEP_LIB_KERNELS_CLASSIFIER_REFERENCE_H_
#define LOCKSTEP_LIB_KERNELS_CLASSIFIER_REFERENCE_H_

#include <cstdint>
#include <vector>

#include "lib/kernels/classifier.h"

namespace lockstep {

// Results in the memory layouts of classifier.h, last index fastest.
struct ClassifierReference {
  std::vector<double> pooled;         // (images, channels)
  std::vector<double> logits;         // (images, classes)
  std::vector<double> probabilities;  // (images, classes)
  std::vector<double> losses;         // (images)
  double loss_sum = 0;
  uint32_t correct = 0;
  std::vector<double> dlogits, dx, dweight, dbias;
};

// Computes the results for any shape that is not empty. Every label must be a class; label_smoothing: see
// ClassifierInput.
ClassifierReference ReferenceClassifier(const ClassifierShape& shape, const std::vector<double>& x,
                                        const std::vector<double>& weight, const std::vector<double>& bias,
                                        const std::vector<int64_t>& labels, double label_smoothing = 0);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CLASSIFIER_REFERENCE_H_
