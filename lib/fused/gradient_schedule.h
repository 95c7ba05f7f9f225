// In which pieces, and in which order, the flat gradient arrays (resnet18_units.h) become final: the backward pass goes
// from the last layer to the first, so that the end of `weights` comes first. Known on the host, before anything runs.
//
//                    weights: 0 | stem | layers 1 and 2 | layer 3 | layer 4, fully connected | end
//   undivided                   | 4th  |      2nd       |               1st                  |
//   by layer                    | 5th  |      3rd       |   2nd   |           1st            |
//
// `norms`, one range, comes just before the stem's weights.
#ifndef LOCKSTEP_LIB_FUSED_GRADIENT_SCHEDULE_H_
#define LOCKSTEP_LIB_FUSED_GRADIENT_SCHEDULE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/fused/resnet18_units.h"

namespace lockstep {

// The elements begin ... end - 1 of a flat array.
struct GradientRange {
  size_t begin = 0;
  size_t end = 0;

  size_t count() const { return end - begin; }
};

// Weights whose gradients are final while the backward pass goes on.
struct EarlyGradients {
  size_t block = 0;  // once the backward pass is through this one, whose first weight is range.begin
  GradientRange range;
  uint32_t max_multiprocessors = 0;  // for what is done with them beside the blocks before; 0: all
};

struct GradientSchedule {
  std::vector<EarlyGradients> early;  // in order
  GradientRange rest;                 // the other weights but the stem's, behind the last block
  GradientRange norms;                // all of `norms`
  GradientRange stem;                 // the stem's weights, at the end
};

// For a backward pass whose launches may each fill the GPU: few ranges. apart: layers 3 and 4 apart all the same, as
// ranges of a step that ranks share the update of must be the same whatever the batch.
GradientSchedule ScheduleGradients(const ResNet18Units& net, bool apart = false);

// For one whose launches have a share each of `multiprocessors`, with `images` at a time (multiprocessor_shares.h).
GradientSchedule ScheduleGradientsByLayer(const ResNet18Units& net, uint32_t images, uint32_t multiprocessors);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_GRADIENT_SCHEDULE_H_
