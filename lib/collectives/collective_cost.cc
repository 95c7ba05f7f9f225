#include "lib/collectives/collective_cost.h"

namespace lockstep {
namespace {

uint64_t DivideRoundingUp(uint64_t dividend, uint64_t divisor) {
  return dividend / divisor + (dividend % divisor != 0);
}

// 2(N-1)/N: number of times that each byte of the result crosses a rank's link, in and out counted once.
double AllReduceFactor(uint32_t ranks) { return 2.0 * (ranks - 1.0) / ranks; }

}  // namespace

uint64_t AllReduceLowerBoundBytes(uint32_t ranks, uint64_t elements, uint64_t element_bytes) {
  return DivideRoundingUp(2 * (uint64_t{ranks} - 1) * elements, ranks) * element_bytes;
}

uint64_t WholeCopiesBytes(uint32_t ranks, uint64_t elements, uint64_t element_bytes) {
  return (uint64_t{ranks} - 1) * elements * element_bytes;
}

uint64_t SharedUpdateBytes(uint32_t ranks, uint64_t elements, uint64_t gradient_bytes, uint64_t weight_bytes) {
  return DivideRoundingUp((uint64_t{ranks} - 1) * elements, ranks) * (gradient_bytes + weight_bytes);
}

uint64_t SharesOverHostsBytes(uint32_t hosts, uint32_t ranks_per_host, uint64_t elements, uint64_t element_bytes) {
  return AllReduceLowerBoundBytes(hosts, DivideRoundingUp(elements, ranks_per_host), element_bytes);
}

double AlgorithmBandwidth(double size_bytes, double seconds) { return size_bytes / seconds; }

double AllReduceBusBandwidth(uint32_t ranks, double size_bytes, double seconds) {
  return AlgorithmBandwidth(size_bytes, seconds) * AllReduceFactor(ranks);
}

uint64_t StepsPerEpoch(uint64_t images, uint32_t batch_per_device, uint32_t ranks) {
  return DivideRoundingUp(images, uint64_t{batch_per_device} * ranks);
}

uint64_t FullStepsPerEpoch(uint64_t images, uint32_t batch_per_device, uint32_t ranks) {
  return images / (uint64_t{batch_per_device} * ranks);
}

}  // namespace lockstep
