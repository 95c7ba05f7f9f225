// Values with the distributions of activations, and of some difficult cases. Test-only.
#ifndef LOCKSTEP_LIB_INT8_RANDOM_VALUES_TESTING_H_
#define LOCKSTEP_LIB_INT8_RANDOM_VALUES_TESTING_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace lockstep::testing {

struct NamedValues {
  std::string name;
  std::vector<float> values;
};

// Returns a value uniform in (0, 1). Does not use std::*_distribution, whose results differ between standard libraries;
// std::mt19937 gives the same numbers everywhere.
inline double UniformValue(std::mt19937& random) { return (random() + 0.5) / 4294967296.0; }

inline double NormalValue(std::mt19937& random) {
  const double radius = std::sqrt(-2 * std::log(UniformValue(random)));
  return radius * std::cos(6.283185307179586 * UniformValue(random));
}

inline double LaplaceValue(std::mt19937& random) {
  const double u = UniformValue(random) - 0.5;
  return (u < 0 ? 1 : -1) * std::log(1 - 2 * std::abs(u));
}

// Returns `size` values of each distribution, in random order.
inline std::vector<NamedValues> ManyDistributions(size_t size, uint32_t seed) {
  std::vector<NamedValues> all = {{"normal", {}},         {"laplace", {}},      {"half normal with zeros", {}},
                                  {"negative", {}},       {"two points", {}},   {"constant", {}},
                                  {"zeros", {}},          {"one outlier", {}},  {"denormals", {}},
                                  {"shifted normal", {}}, {"all exponents", {}}};
  std::mt19937 random(seed);
  for (size_t i = 0; i < size; ++i) {
    const double normal = NormalValue(random), laplace = LaplaceValue(random), uniform = UniformValue(random);
    const double exponent = std::ldexp(normal < 0 ? -1.0 : 1.0, static_cast<int>(random() % 270) - 145);
    const double values[] = {normal,
                             3 * laplace,
                             std::max(0.0, normal),
                             -std::abs(laplace) - 0.25,
                             uniform < 0.75 ? -0.5 : 2,
                             1.7,
                             uniform < 0.5 ? 0.0 : -0.0,
                             i == size / 2 ? 1000 : normal,
                             normal * 1e-40,
                             normal * 0.3 + 2,
                             exponent * (1 + uniform)};
    for (size_t k = 0; k < all.size(); ++k) {
      all[k].values.push_back(static_cast<float>(values[k]));
    }
  }
  return all;
}

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_INT8_RANDOM_VALUES_TESTING_H_
