// ScaleTask: scaling of a tile's sums to values. AddTask: addition of values.
#ifndef LOCKSTEP_LIB_INT8_CPU_SCALE_TASK_H_
#define LOCKSTEP_LIB_INT8_CPU_SCALE_TASK_H_

#include <cstddef>
#include <cstdint>

#include "lib/int8/requantize.h"

namespace lockstep {

// Scaling of sums to values:
//     max(lowest, min(round_half_even((float32(sum) + bias) * multiplier), high) + zero)
struct Scaling {
  const float* multiplier;  // one per output
  const float* bias;        // one per output; null: none
  float high;               // 255 - zero
  int32_t zero;             // zero point of the output as a value: in [0, 255]
  int32_t lowest;           // same as `zero` with ReLU, else 0
};

struct ScaleTask {
  Scaling scaling;  // factors from the group's first output on
  const int32_t* sums;
  size_t stride;         // sums from one pixel to the next
  size_t window;         // pixels whose largest sum is taken, for max-pooling; else 1
  size_t pair;           // outputs from a sum to the other sum of its pixel that is pooled with it; 0: no other
  size_t pixels;         // pixels that are written; `window` times as many have sums
  size_t outputs;        // outputs of the group, without padding
  void* const* targets;  // first value of the group in each pixel
};

// Addition of values: clamp(round_half_even(fma(a, factors.a, fma(b, factors.b, factors.offset))), lowest, 255), as in
// requantize.h.
struct AddTask {
  AddFactors factors;
  int32_t lowest;        // lower bound, as in Scaling
  const uint8_t* table;  // result of (a, b) at [256 * a + b], if the kernels want it
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CPU_SCALE_TASK_H_
