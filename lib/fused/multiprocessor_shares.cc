#include "lib/fused/multiprocessor_shares.h"

namespace lockstep {
namespace {

constexpr uint32_t kMeasuredOn = 132;  // multiprocessors, an H200's

// Up to this batch the backward pass of layer 2 is over before SGD is.
constexpr uint32_t kMaxBatchBesideUpdate = 64;

// A shortcut's weight gradient multiplies little, and is wanted late.
constexpr uint32_t kShortcutShare = 16;

// Shares of an H200's multiprocessors. The update has what layer 3 and layer 2 leave: SGD on more would take places
// that a data gradient's blocks, which wait for each other, are to have at once.
MultiprocessorShares LayerShares(uint32_t channels, uint32_t batch) {
  switch (channels) {
    case 128:
      return batch <= kMaxBatchBesideUpdate ? MultiprocessorShares{true, 66, 44, 22}
                                            : MultiprocessorShares{true, 77, 55, 22};
    case 256:
      return {true, 66, 48, 18};
    default:
      return {true, 88, 44, 0};
  }
}

}  // namespace

MultiprocessorShares DivideMultiprocessors(const ConvolutionUnit& unit, uint32_t batch, uint32_t all) {
  MultiprocessorShares shares = LayerShares(unit.out_channels, batch);
  shares.shortcut = kShortcutShare;
  for (uint32_t* const share : {&shares.data_gradient, &shares.weight_gradient, &shares.update, &shares.shortcut}) {
    *share = all * *share / kMeasuredOn;
  }
  return shares;
}

}  // namespace lockstep
