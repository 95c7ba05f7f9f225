// How the multiprocessors of a GPU are divided between the launches of the backward pass that run side by side. A
// launch leaves much of the GPU waiting for memory and for other blocks: two of them, each on a part of it, take less
// time than one after the other on all of it.
#ifndef LOCKSTEP_LIB_FUSED_MULTIPROCESSOR_SHARES_H_
#define LOCKSTEP_LIB_FUSED_MULTIPROCESSOR_SHARES_H_

#include <cstdint>

#include "lib/fused/resnet18_units.h"

namespace lockstep {

// The most multiprocessors that a unit's launches may take.
struct MultiprocessorShares {
  bool divided = false;          // else all each
  uint32_t data_gradient = 0;    // runs beside the weight gradient of this unit or of the one above
  uint32_t weight_gradient = 0;  // runs beside the data gradient of this unit or of the one below
  uint32_t update = 0;           // SGD of the layer above, beside both; 0: there is none
  uint32_t shortcut = 0;         // our weight gradient of a shortcut, beside all three where it finds places
};

// The largest batch whose backward pass is divided: larger ones were not measured.
inline constexpr uint32_t kMaxDividedBatch = 512;

// The shares of `all` for a batch of up to kMaxDividedBatch, so that both chains of the backward pass end together
// (measured on an H200; benchmarks/results/notes.md, "The step on one GPU").
MultiprocessorShares DivideMultiprocessors(const ConvolutionUnit& unit, uint32_t batch, uint32_t all);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_MULTIPROCESSOR_SHARES_H_
