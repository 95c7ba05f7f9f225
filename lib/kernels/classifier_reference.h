// The plain twin of classifier.h: the same formulas by loops on the host, in double.
#ifndef LOCKSTEP_LIB_KERNELS_CLASSIFIER_REFERENCE_H_
#define LOCKSTEP_LIB_KERNELS_CLASSIFIER_REFERENCE_H_

#include <cstdint>
#include <vector>

#include "lib/kernels/classifier.h"

namespace lockstep {

// In memory as classifier.h says, last index fastest.
using Values = std::vector<double>;

struct ClassifierReference {
  Values pooled;         // (images, channels)
  Values logits;         // (images, classes)
  Values probabilities;  // (images, classes)
  Values losses;         // (images)
  double loss_sum = 0;
  uint32_t correct = 0;
  Values dlogits, dx, dweight, dbias;
};

// Any shape but an empty one; every label a class.
ClassifierReference ReferenceClassifier(const ClassifierShape& shape, const Values& x, const Values& weight,
                                        const Values& bias, const std::vector<int64_t>& labels);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CLASSIFIER_REFERENCE_H_
