#include "lib/fused/multiprocessor_shares.h"

namespace lockstep {
namespace {

constexpr uint32_t kTwelve = 12;
constexpr uint32_t kOfUpdate = 3;

// Up to this batch the backward pass of layer 2 is over before SGD is.
constexpr uint32_t kMostBatchBesideUpdate = 64;

struct Twelfths {
  uint32_t data_gradient, weight_gradient;
};

Twelfths TwelfthsOf(uint32_t channels, uint32_t batch) {
  switch (channels) {
    case 128:
      return batch <= kMostBatchBesideUpdate ? Twelfths{6, 4} : Twelfths{7, 5};
    case 256:
      return {6, 6};
    default:
      return {8, 4};
  }
}

}  // namespace

MultiprocessorShares DivideMultiprocessors(const ConvolutionUnit& unit, uint32_t batch, uint32_t all) {
  const Twelfths twelfths = TwelfthsOf(unit.out_channels, batch);
  return {true, all * twelfths.data_gradient / kTwelve, all * twelfths.weight_gradient / kTwelve};
}

uint32_t UpdateShare(uint32_t all) { return all * kOfUpdate / kTwelve; }

}  // namespace lockstep
