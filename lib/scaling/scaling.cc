#include "lib/scaling/scaling.h"

namespace lockstep {

std::optional<Spread> StrongSpeedup(const Spread& epoch_1_at_nb, const Spread& epoch_n_at_b) {
  return Quotient(epoch_1_at_nb, epoch_n_at_b);
}

std::optional<Spread> WeakSpeedup(uint32_t ranks, const Spread& step_1, uint32_t steps_1, const Spread& step_n,
                                  uint32_t steps_n) {
  if (steps_1 == 0 || steps_n == 0) {
    return std::nullopt;
  }
  return Quotient((static_cast<double>(ranks) / steps_1) * step_1, (1.0 / steps_n) * step_n);
}

std::optional<Spread> WeakSpeedupByImages(const Spread& step_1, uint64_t images_1, const Spread& step_n,
                                          uint64_t images_n) {
  if (images_1 == 0 || images_n == 0) {
    return std::nullopt;
  }
  return Quotient((1.0 / static_cast<double>(images_1)) * step_1, (1.0 / static_cast<double>(images_n)) * step_n);
}

std::optional<Spread> EpochSpeedup(const Spread& epoch_1, const Spread& epoch_n) { return Quotient(epoch_1, epoch_n); }

double KarpFlatt(uint32_t ranks, double strong_speedup) {
  const double inverse_ranks = 1.0 / ranks;
  return (1.0 / strong_speedup - inverse_ranks) / (1.0 - inverse_ranks);
}

double GustafsonSerialFraction(uint32_t ranks, double weak_speedup) { return (ranks - weak_speedup) / (ranks - 1.0); }

Spread GustafsonSerialFraction(uint32_t ranks, const Spread& s) {
  return {GustafsonSerialFraction(ranks, s.mean), GustafsonSerialFraction(ranks, s.high),
          GustafsonSerialFraction(ranks, s.low), s.repeated};
}

}  // namespace lockstep
