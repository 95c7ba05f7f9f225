// What an all-reduce must move, how its bandwidth is named, what a ring takes, and how often an epoch does it.
//
// Sources: P. Patarasuk and X. Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", J.
// Parallel Distrib. Comput. 69 (2009), lemma 4 (the lower bound) and section 4 (the ring); NVIDIA nccl-tests,
// doc/PERFORMANCE.md (algorithm and bus bandwidth). Pure functions, any thread.
#ifndef LOCKSTEP_LIB_COMM_COLLECTIVE_COST_H_
#define LOCKSTEP_LIB_COMM_COLLECTIVE_COST_H_

#include <cstdint>

namespace lockstep {

// Bytes that at least one of N ranks must send or receive to all-reduce `elements` items: ceil(2(N-1)/N * X) *
// itemsize. 0 for one rank. `ranks` >= 1; 2 * ranks * elements must fit 64 bits.
uint64_t AllReduceLowerBoundBytes(uint32_t ranks, uint64_t elements, uint64_t element_bytes);

// nccl-tests' algbw = S / t, and busbw = algbw * 2(N-1)/N for an all-reduce: the share of a link that a ring would use,
// comparable over N. Bytes per second; `seconds` > 0.
double AlgorithmBandwidth(double size_bytes, double seconds);
double AllReduceBusBandwidth(uint32_t ranks, double size_bytes, double seconds);

// A link in Hockney's model: a message of S bytes takes alpha + beta * S seconds.
struct LinkCost {
  double alpha_seconds;
  double beta_seconds_per_byte;
};

// Ring all-reduce: 2(N-1) steps of S/N bytes each, so 2(N-1) * alpha + 2(N-1)/N * S * beta.
double RingAllReduceSeconds(uint32_t ranks, double size_bytes, const LinkCost& link);

// Steps of an epoch that N ranks share: images / (batch_per_device * ranks), rounded up unless the tail is dropped.
// `ranks` and `batch_per_device` >= 1.
uint64_t StepsPerEpoch(uint64_t images, uint32_t batch_per_device, uint32_t ranks, bool drop_last);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMM_COLLECTIVE_COST_H_
