// Random numbers that depend only on their key: the same on every platform, in every thread, in any order.
//
// SplitMix64 (Steele, Lea, Flood 2014, "Fast splittable pseudorandom number generators", figure 16) started from a hash
// of (seed, purpose, a, b). Two streams that differ in any of the four are unrelated; image 7 of epoch 3 thus gets the
// same crop in every worker.
#ifndef LOCKSTEP_LIB_DATASET_COUNTER_RANDOM_H_
#define LOCKSTEP_LIB_DATASET_COUNTER_RANDOM_H_

#include <cstdint>

namespace lockstep {

// Purpose of a stream. It is part of the key, so values must never change: every stored result would change.
enum class RandomPurpose : uint64_t {
  kEpochOrder = 1,
  kAugmentation = 2,
  kSyntheticClass = 3,
  kSyntheticImage = 4,
};

// One random stream. Cheap to construct (four multiplications per part of the key); not thread-safe. Everything is
// constexpr, which nvcc also accepts in kernels (--expt-relaxed-constexpr), so a kernel draws the same numbers as the
// host.
class CounterRandom {
 public:
  constexpr CounterRandom(uint64_t seed, RandomPurpose purpose, uint64_t a, uint64_t b)
      : state_(Mix(Mix(Mix(Mix(seed) + static_cast<uint64_t>(purpose)) + a) + b)) {}

  // Returns a number uniform in [0, 2^64).
  constexpr uint64_t Next() { return Finalize(state_ += kGamma); }

  // Returns a number uniform in [0, bound), without bias (Lemire 2019, "Fast random integer generation in an
  // interval"). `bound` must be above 0.
  constexpr uint32_t Below(uint32_t bound) {
    uint64_t product = (Next() >> 32) * bound;
    if (static_cast<uint32_t>(product) < bound) {
      const uint32_t threshold = (0u - bound) % bound;
      while (static_cast<uint32_t>(product) < threshold) {
        product = (Next() >> 32) * bound;
      }
    }
    return static_cast<uint32_t>(product >> 32);
  }

  // Returns an integer uniform in [low, high], both included.
  constexpr int32_t Between(int32_t low, int32_t high) { return low + static_cast<int32_t>(Below(high - low + 1)); }

 private:
  static constexpr uint64_t kGamma = 0x9E3779B97F4A7C15u;

  static constexpr uint64_t Finalize(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  static constexpr uint64_t Mix(uint64_t x) { return Finalize(x + kGamma); }

  uint64_t state_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DATASET_COUNTER_RANDOM_H_
