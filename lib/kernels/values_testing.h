// Input values for kernel tests, and comparisons of bits. Test-only.
#ifndef LOCKSTEP_LIB_KERNELS_VALUES_TESTING_H_
#define LOCKSTEP_LIB_KERNELS_VALUES_TESTING_H_

#include <cuda_bf16.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/dataset/counter_random.h"

namespace lockstep::testing {

// Returns values that are uniform in [-1, 1], rounded to T.
template <typename T>
std::vector<T> RandomValues(uint64_t seed, size_t count) {
  CounterRandom random(seed, RandomPurpose::kSyntheticImage, 1, 2);
  std::vector<T> values;
  for (size_t i = 0; i < count; ++i) {
    values.push_back(T(static_cast<float>(random.Below(1u << 24)) / (1 << 23) - 1));
  }
  return values;
}

// Returns the values -1, 0 and 1. Their products, and sums of not too many of them, are exact in any order and in every
// type.
template <typename T>
std::vector<T> WholeValues(uint64_t seed, size_t count) {
  CounterRandom random(seed, RandomPurpose::kSyntheticImage, 1, 2);
  std::vector<T> values;
  for (size_t i = 0; i < count; ++i) {
    values.push_back(T(static_cast<float>(random.Below(3)) - 1));
  }
  return values;
}

template <typename T>
bool SameBits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

// Expects the exact values rounded to bf16. A failure reports the number of differences and the first of them.
inline void ExpectRounded(const std::vector<__nv_bfloat16>& found, const std::vector<double>& exact,
                          const std::string& what) {
  ASSERT_EQ(found.size(), exact.size()) << what;
  size_t wrong = 0, first = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    const auto rounded = static_cast<float>(__nv_bfloat16(static_cast<float>(exact[i])));
    if (!(static_cast<float>(found[i]) == rounded) && wrong++ == 0) {
      first = i;
    }
  }
  EXPECT_EQ(wrong, 0u) << what << ": of " << found.size() << ", the first is " << first << ", "
                       << static_cast<float>(found[first]) << " for " << exact[first];
}

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_KERNELS_VALUES_TESTING_H_
