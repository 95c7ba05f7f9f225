#include "lib/audit/chance.h"

#include <algorithm>
#include <cmath>

namespace lockstep {

double ShareOf(const PrintedNumber& printed, double slack) {
  const double size = std::max(std::abs(printed.value), printed.unit);
  return std::min(1.0, (printed.unit + 2 * std::abs(slack)) / size);
}

bool IsOfSize(double value, const PrintedNumber& printed) {
  if (std::abs(value - printed.value) <= printed.unit) {
    return true;
  }
  const double ratio = value / printed.value;
  return ratio >= 0.5 && ratio <= 2;
}

double ChanceOf(double tried, size_t cells, const std::vector<double>& shares) {
  const double k = static_cast<double>(cells), g = static_cast<double>(shares.size());
  double logarithm = std::log(tried) + std::lgamma(k + 1) - std::lgamma(g + 1) - std::lgamma(k - g + 1);
  for (const double share : shares) {
    logarithm += std::log(share);
  }
  return std::min(1.0, std::exp(logarithm));
}

uint64_t Fingerprint(uint64_t fingerprint, size_t position, double value) {
  constexpr int kBits = 34;  // ten decimal digits
  int exponent = 0;
  const auto mantissa = static_cast<int64_t>(std::llround(std::ldexp(std::frexp(value, &exponent), kBits)));
  // Each word takes one step of 64-bit FNV-1a and a shift, which spreads the high bits.
  for (const uint64_t word : {uint64_t{position}, static_cast<uint64_t>(mantissa), static_cast<uint64_t>(exponent)}) {
    fingerprint = (fingerprint ^ word) * 1099511628211U;
    fingerprint ^= fingerprint >> 32;
  }
  return fingerprint;
}

}  // namespace lockstep
