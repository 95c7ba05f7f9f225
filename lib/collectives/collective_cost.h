// Bytes that an all-reduce must move, its bandwidth, and the number of steps of an epoch.
//
// Sources: P. Patarasuk and X. Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", J.
// Parallel Distrib. Comput. 69 (2009), lemma 4 (the lower bound); NVIDIA nccl-tests, doc/PERFORMANCE.md (algorithm and
// bus bandwidth). Pure functions, any thread. Cost of each algorithm: all_reduce_cost.h.
#ifndef LOCKSTEP_LIB_COLLECTIVES_COLLECTIVE_COST_H_
#define LOCKSTEP_LIB_COLLECTIVES_COLLECTIVE_COST_H_

#include <cstdint>

namespace lockstep {

// Returns the bytes that at least one of N ranks must send or receive to all-reduce X items (`elements`):
//
//     ceil(2(N-1)/N * X) * element_bytes
//
// 0 for one rank. `ranks` must be >= 1; 2 * ranks * elements must fit in 64 bits.
uint64_t AllReduceLowerBoundBytes(uint32_t ranks, uint64_t elements, uint64_t element_bytes);

// Returns the bytes that each of N ranks sends if it copies all X items to each other rank: (N-1) * X * element_bytes.
// `ranks` must be >= 1.
uint64_t WholeCopiesBytes(uint32_t ranks, uint64_t elements, uint64_t element_bytes);

// Returns the bytes that each of N ranks sends if each rank receives its share of the X gradients, updates these
// weights, and writes them to all others: ceil((N-1)/N * X) * (gradient_bytes + weight_bytes). Both sizes are per
// element. `ranks` must be >= 1; ranks * elements must fit in 64 bits.
uint64_t SharedUpdateBytes(uint32_t ranks, uint64_t elements, uint64_t gradient_bytes, uint64_t weight_bytes);

// Returns the bytes that each rank sends to other hosts if the G ranks of each of H hosts divide the X items, and each
// rank all-reduces its share with the ranks that have the same share on the other hosts: at least ceil(2(H-1)/H *
// ceil(X/G)) * element_bytes. `hosts` and `ranks_per_host` must be >= 1; 2 * hosts * elements must fit in 64 bits.
uint64_t SharesOverHostsBytes(uint32_t hosts, uint32_t ranks_per_host, uint64_t elements, uint64_t element_bytes);

// Return nccl-tests' algbw = S / t, and busbw = algbw * 2(N-1)/N for an all-reduce: the bandwidth that a ring would use
// on a link, comparable over N. Bytes per second; `seconds` must be > 0.
double AlgorithmBandwidth(double size_bytes, double seconds);
double AllReduceBusBandwidth(uint32_t ranks, double size_bytes, double seconds);

// Return the steps of an epoch that N ranks share: images / (batch_per_device * ranks), rounded up or down. `ranks` and
// `batch_per_device` must be >= 1.
uint64_t StepsPerEpoch(uint64_t images, uint32_t batch_per_device, uint32_t ranks);
uint64_t FullStepsPerEpoch(uint64_t images, uint32_t batch_per_device, uint32_t ranks);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COLLECTIVES_COLLECTIVE_COST_H_
