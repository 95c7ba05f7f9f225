// GradientSchedule: the ranges in which the flat gradient arrays (resnet_units.h) become final, and their order. The
// backward pass goes from the last layer to the first, so the end of `weights` comes first. The schedule is known on
// the host before any kernel runs.
//
//                    weights: 0 | stem | layers 1 and 2 | layer 3 | layer 4, fully connected | end
//   not partitioned             | 4th  |      2nd       |               1st                  |
//   by layer                    | 5th  |      3rd       |   2nd   |           1st            |
//
// `batch_norms`, one range, comes just before the stem's weights.
#ifndef LOCKSTEP_LIB_FUSED_GRADIENT_SCHEDULE_H_
#define LOCKSTEP_LIB_FUSED_GRADIENT_SCHEDULE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/fused/resnet_units.h"

namespace lockstep {

// Elements begin ... end - 1 of a flat array.
struct GradientRange {
  size_t begin = 0;
  size_t end = 0;

  size_t count() const { return end - begin; }
};

// Weights whose gradients become final while the backward pass is still running.
struct EarlyGradients {
  size_t block = 0;  // block after whose backward pass the range is final; its first weight is range.begin
  GradientRange range;
  uint32_t max_multiprocessors = 0;  // SMs for work on the range during the backward pass of the earlier blocks; 0: all
};

struct GradientSchedule {
  std::vector<EarlyGradients> early;  // ranges in the order in which they become final
  GradientRange rest;                 // other weights except the stem's; final after the last block
  GradientRange batch_norms;          // all of `batch_norms`
  GradientRange stem;                 // stem's weights; final last
};

enum class EarlyRanges {
  kTogether,  // layers 3 and 4 are one range
  kPerLayer,  // must be chosen if the ranks share the update, whose ranges must be the same for every batch size
};

// Returns the schedule of a backward pass whose launches may each fill the GPU: few ranges.
GradientSchedule ScheduleGradients(const ResNetUnits& net, EarlyRanges early = EarlyRanges::kTogether);

// Returns the schedule of a backward pass whose launches share `multiprocessors`, for `images` at a time
// (sm_partition.h).
GradientSchedule ScheduleGradientsByLayer(const ResNetUnits& net, uint32_t images, uint32_t multiprocessors);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_GRADIENT_SCHEDULE_H_
