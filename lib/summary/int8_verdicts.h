// Verdicts on B1 to B5: ranges of weights and activations, and the accuracy that int8 costs.
#ifndef LOCKSTEP_LIB_SUMMARY_INT8_VERDICTS_H_
#define LOCKSTEP_LIB_SUMMARY_INT8_VERDICTS_H_

#include <string>

#include "lib/statistics/paired_proportions.h"
#include "lib/summary/verdict_table.h"

namespace lockstep {

// B1, B3: the largest absolute value of each layer.
struct RangeFacts {
  size_t layers = 0;
  double smallest = 0;  // range of the layer with the smallest one
  double largest = 0;
};
CardVerdict JudgeRange(const RangeFacts& facts);

// B2, B4, B5: test images that int8 classifies differently from fp32.
struct Int8Facts {
  PairedChanges changes;
  double fp32_accuracy = 1;  // share of the test images; near chance there is nothing to lose
};
CardVerdict JudgeInt8(const Int8Facts& facts);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SUMMARY_INT8_VERDICTS_H_
