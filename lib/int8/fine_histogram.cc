#include "lib/int8/fine_histogram.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <utility>

namespace lockstep {
namespace {

constexpr int kSide = FineHistogram::kBinsPerSide;
constexpr int kSideBits = 11;  // log2 of kBinsPerSide
constexpr int kSmallestExponent = -126;

constexpr size_t kPart = size_t{1} << 16;  // 256 KiB: read four times, but only once from memory
constexpr size_t kBlock = 512;             // indices computed at a time; must be even

constexpr int32_t kInfinityBits = 0x7f800000;

// Returns an int32 with the same order as the floats: NaN is beyond the infinities, and -0 is below 0. Vector
// instructions can compare integers without special compiler flags, unlike floats.
int32_t OrderedBits(float value) {
  int32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits ^ ((bits >> 31) & 0x7fffffff);
}

float FromOrderedBits(int32_t ordered) {
  const int32_t bits = ordered ^ ((ordered >> 31) & 0x7fffffff);
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

struct Extremes {
  int32_t low;
  int32_t high;

  bool finite() const { return low > ~kInfinityBits && high < kInfinityBits; }
};

// Returns the extremes of the values. `size` must be at least 1.
Extremes ExtremesOf(const float* values, size_t size) {
  int32_t low = OrderedBits(values[0]), high = low;
  for (size_t i = 0; i < size; ++i) {
    const int32_t ordered = OrderedBits(values[i]);
    low = std::min(low, ordered);
    high = std::max(high, ordered);
  }
  return {low, high};
}

uint64_t CountZeros(const float* values, size_t size) {
  uint32_t zeros = 0;
  for (size_t i = 0; i < size; ++i) {
    zeros += values[i] == 0.0f ? 1 : 0;
  }
  return zeros;
}

// Writes the indices in a table: bin + kSide. A product that is too small for a normal float may lose bits, but it
// falls into bin 0 of its side in any case.
void Places(const float* values, size_t size, float bins_per_unit, int32_t* places) {
  for (size_t i = 0; i < size; ++i) {
    const int32_t negative = values[i] < 0.0f ? -1 : 0;
    places[i] = kSide + (static_cast<int32_t>(std::abs(values[i]) * bins_per_unit) ^ negative);
  }
}

}  // namespace

void FineHistogram::Add(const float* values, size_t size) {
  for (size_t begin = 0; begin < size; begin += kPart) {
    AddPart(values + begin, std::min(kPart, size - begin));
  }
}

void FineHistogram::AddPart(const float* values, size_t size) {
  const Extremes extremes = ExtremesOf(values, size);
  if (!extremes.finite()) {
    AddFiniteOnes(values, size);
    return;
  }
  // Adding 0 turns -0 into 0.
  const double low = FromOrderedBits(extremes.low) + 0.0, high = FromOrderedBits(extremes.high) + 0.0;
  min_ = size_ == 0 ? low : std::min(min_, low);
  max_ = size_ == 0 ? high : std::max(max_, high);
  size_ += size;
  zeros_ += CountZeros(values, size);
  sums_.Add(values, size);
  Grow(MaxAbs());
  CountValues(values, size);
}

void FineHistogram::AddFiniteOnes(const float* values, size_t size) {
  std::vector<float> finite;
  std::copy_if(values, values + size, std::back_inserter(finite), [](float value) { return std::isfinite(value); });
  not_finite_ += size - finite.size();
  if (!finite.empty()) {
    AddPart(finite.data(), finite.size());
  }
}

void FineHistogram::CountValues(const float* values, size_t size) {
  const auto bins_per_unit = static_cast<float>(1 / width());
  uint64_t* const table0 = counts_.data();
  uint64_t* const table1 = table0 + 2 * kSide;
  int32_t places[kBlock];
  for (size_t begin = 0; begin < size; begin += kBlock) {
    const size_t block = std::min(kBlock, size - begin);
    Places(values + begin, block, bins_per_unit, places);
    size_t i = 0;
    for (; i + 2 <= block; i += 2) {
      ++table0[places[i]];
      ++table1[places[i + 1]];
    }
    if (i < block) {
      ++table0[places[i]];
    }
  }
}

void FineHistogram::Grow(double max_abs) {
  // The power of two at or below max|x| must be in bin 1024 or lower.
  const int needed = max_abs > 0 ? std::max(std::ilogb(max_abs) - (kSideBits - 1), kSmallestExponent) : exponent_;
  if (needed <= exponent_) {
    return;
  }
  const int shift = std::min(needed - exponent_, kSideBits);
  for (int table = 0; table < kTables; ++table) {
    uint64_t* const zero = &counts_[size_t{2} * kSide * table + kSide];  // bin 0
    for (int bin = 1; bin < kSide; ++bin) {
      zero[bin >> shift] += std::exchange(zero[bin], 0);
      zero[~(bin >> shift)] += std::exchange(zero[~bin], 0);
    }
  }
  exponent_ = needed;
}

double FineHistogram::MaxAbs() const { return std::max(std::abs(min_), std::abs(max_)); }

double FineHistogram::Mean() const { return size_ == 0 ? 0 : Sum() / static_cast<double>(size_); }

double FineHistogram::StandardDeviation() const {
  if (size_ == 0) {
    return 0;
  }
  const double mean = Mean();
  // Rounding can make the difference of two equal numbers slightly negative.
  return std::sqrt(std::max(0.0, SumOfSquares() / static_cast<double>(size_) - mean * mean));
}

double FineHistogram::ThreeSigma() const { return std::abs(Mean()) + 3 * StandardDeviation(); }

proto::Histogram FineHistogram::ToHistogram(uint32_t bins) const {
  proto::Histogram histogram = EmptyHistogram(min_, max_, bins);
  const double low = histogram.low(), bin_width = (histogram.high() - low) / bins;
  uint64_t* const counts = histogram.mutable_count()->mutable_data();
  int bin = -kSide;
  uint64_t below = 0, counted = 0;  // count in fine bins below `bin`; count in the plot bins so far
  for (uint32_t i = 0; i < bins; ++i) {
    const double edge = i + 1 < bins ? low + (i + 1) * bin_width : std::numeric_limits<double>::infinity();
    while (bin < kSide && (bin + 1) * width() <= edge) {
      below += NonZeros(bin++);
    }
    const uint64_t total = below + (bin < kSide ? PartBelow(bin, edge) : 0);
    counts[i] = total - counted;
    counted = total;
  }
  if (zeros_ > 0) {
    counts[std::min(static_cast<uint32_t>(-low / bin_width), bins - 1)] += zeros_;
  }
  return histogram;
}

uint64_t FineHistogram::PartBelow(int bin, double edge) const {
  const double low = std::max(bin * width(), min_), high = std::min((bin + 1) * width(), max_);
  const double part = edge <= low ? 0 : edge >= high ? 1 : (edge - low) / (high - low);
  return static_cast<uint64_t>(std::nearbyint(part * static_cast<double>(NonZeros(bin))));
}

uint64_t FineHistogram::NonZeros(int bin) const { return Count(bin) - (bin == 0 ? zeros_ : 0); }

double FineHistogram::width() const { return std::ldexp(1.0, exponent_); }

uint64_t FineHistogram::Count(int bin) const {
  const int place = bin + kSide;
  return counts_[place] + counts_[place + 2 * kSide];
}

}  // namespace lockstep
