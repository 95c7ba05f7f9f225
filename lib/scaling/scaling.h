// Speed-up under its two names, and the serial fraction that each implies.
//
// E_N(B): seconds of an epoch of N devices at B images per device, with data loading; s_N(B): the same without waiting
// for data; k_N: steps per epoch. Sources: G. Amdahl 1967; J. Gustafson 1988; A. Karp and H. Flatt, "Measuring parallel
// processor performance", CACM 33 (1990). Pure functions, any thread. All times > 0 and N >= 2 unless said otherwise.
#ifndef LOCKSTEP_LIB_SCALING_SCALING_H_
#define LOCKSTEP_LIB_SCALING_SCALING_H_

#include <cstdint>
#include <optional>

#include "lib/statistics/spread.h"

namespace lockstep {

// Returns E_1(N*B) / E_N(B): the global batch, and so the training itself, is the same on both sides. Ideal: N. Returns
// nullopt if a time is not positive.
std::optional<Spread> StrongSpeedup(const Spread& epoch_1_at_nb, const Spread& epoch_n_at_b);

// Returns N * (s_1(B)/k_1) / (s_N(B)/k_N): work per second if each device keeps its batch and the work grows with N.
// Ideal: N.
std::optional<Spread> WeakSpeedup(uint32_t ranks, const Spread& step_1, uint32_t steps_1, const Spread& step_n,
                                  uint32_t steps_n);

// Returns the same for an epoch that ends with a smaller step: (s_1/I_1) / (s_N/I_N), with I the images of an epoch
// over all ranks. Equal to WeakSpeedup if no step is smaller.
std::optional<Spread> WeakSpeedupByImages(const Spread& step_1, uint64_t images_1, const Spread& step_n,
                                          uint64_t images_n);

// Returns E_1(B) / E_N(B), the lab's quotient. An epoch of fixed size is shared by the ranks, so the quotient is weak
// in the batch (N times the global batch) and strong in the data set; multiplying it by N again would count N twice.
std::optional<Spread> EpochSpeedup(const Spread& epoch_1, const Spread& epoch_n);

// Returns the serial fraction e of a strong speed-up S: S = 1 / (e + (1-e)/N) solved for e (Karp and Flatt's metric;
// the same number as Amdahl's fraction). Negative if S > N.
double KarpFlatt(uint32_t ranks, double strong_speedup);

// Returns the serial fraction s of a weak speed-up S: S = N - s(N-1) solved for s.
double GustafsonSerialFraction(uint32_t ranks, double weak_speedup);

// Returns the same with an interval. The fraction decreases as S grows, so the interval's ends are exchanged.
Spread GustafsonSerialFraction(uint32_t ranks, const Spread& weak_speedup);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_SCALING_H_
