#include "lib/int8/exact_sums.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace lockstep {
namespace {

constexpr uint32_t kSignificandBits = 23;  // stored bits; the leading 1 of a normal float is not stored
constexpr uint32_t kSignificandMask = (1u << kSignificandBits) - 1;
constexpr uint32_t kExponents = 256;

// Number of squares, of 48 bits each, whose sum fits 64 bits.
constexpr size_t kPart = size_t{1} << 16;

// Number of tables. Neighbouring values go to different tables: many values have the same exponent, and with one table
// each addition to memory would wait for the previous one.
constexpr size_t kTables = 4;

struct PartSums {
  uint64_t sum = 0;
  uint64_t sum_of_squares = 0;
};

void AddBits(uint32_t bits, PartSums* table) {
  const uint32_t bucket = bits >> kSignificandBits;
  const uint32_t leading = bucket % kExponents != 0 ? 1 : 0;
  const uint64_t significand = (leading << kSignificandBits) | (bits & kSignificandMask);
  table[bucket].sum += significand;
  table[bucket].sum_of_squares += significand * significand;
}

// Returns the exponent of the power of two by which a significand of this exponent is multiplied. Subnormals, exponent
// 0, are scaled like exponent 1.
int Shift(size_t exponent) { return static_cast<int>(std::max(exponent, size_t{1})) - 150; }

}  // namespace

void ExactSums::Add(const float* values, size_t size) {
  for (size_t begin = 0; begin < size; begin += kPart) {
    AddPart(values + begin, std::min(kPart, size - begin));
  }
}

void ExactSums::AddPart(const float* values, size_t size) {
  PartSums tables[kTables][kBuckets] = {};
  uint32_t bits[kTables];
  size_t i = 0;
  for (; i + kTables <= size; i += kTables) {
    std::memcpy(bits, values + i, sizeof(bits));
    for (size_t table = 0; table < kTables; ++table) {
      AddBits(bits[table], tables[table]);
    }
  }
  for (; i < size; ++i) {
    std::memcpy(bits, values + i, sizeof(float));
    AddBits(bits[0], tables[0]);
  }
  for (const auto& table : tables) {
    for (size_t bucket = 0; bucket < kBuckets; ++bucket) {
      sum_[bucket] += table[bucket].sum;
      sum_of_squares_[bucket] += table[bucket].sum_of_squares;
    }
  }
}

double ExactSums::Sum() const {
  double total = 0;
  for (size_t exponent = 0; exponent < kExponents; ++exponent) {
    const auto difference = static_cast<int64_t>(sum_[exponent] - sum_[kExponents + exponent]);
    total += std::ldexp(static_cast<double>(difference), Shift(exponent));
  }
  return total;
}

double ExactSums::SumOfSquares() const {
  double total = 0;
  for (size_t exponent = 0; exponent < kExponents; ++exponent) {
    const absl::uint128 sum = sum_of_squares_[exponent] + sum_of_squares_[kExponents + exponent];
    total += std::ldexp(static_cast<double>(sum), 2 * Shift(exponent));
  }
  return total;
}

}  // namespace lockstep
