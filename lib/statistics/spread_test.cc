#include "lib/statistics/spread.h"

#include <initializer_list>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

proto::Samples SamplesOf(std::initializer_list<double> values) {
  proto::Samples samples;
  for (double value : values) {
    samples.add_value(value);
  }
  return samples;
}

void ExpectSpread(const std::optional<Spread>& actual, double mean, double low, double high) {
  ASSERT_TRUE(actual.has_value());
  EXPECT_DOUBLE_EQ(actual->mean, mean);
  EXPECT_DOUBLE_EQ(actual->low, low);
  EXPECT_DOUBLE_EQ(actual->high, high);
}

TEST(SpreadTest, OfNoSamplesThereIsNone) { EXPECT_FALSE(SpreadOf(SamplesOf({})).has_value()); }

TEST(SpreadTest, OfOneSampleThereIsNoInterval) {
  ExpectSpread(SpreadOf(SamplesOf({3})), 3, 3, 3);
  EXPECT_FALSE(SpreadOf(SamplesOf({3}))->repeated);
}

TEST(SpreadTest, OfSeveralTheMeanAndTheExtremes) {
  ExpectSpread(SpreadOf(SamplesOf({4, 2, 3})), 3, 2, 4);
  EXPECT_TRUE(SpreadOf(SamplesOf({4, 2, 3}))->repeated);
}

TEST(SpreadTest, ADifferenceTakesOppositeExtremes) {
  ExpectSpread(Spread{10, 9, 12, true} - 0.5 * Spread{4, 2, 6, true}, 8, 6, 11);
}

TEST(SpreadTest, AQuotientTakesOppositeExtremes) {
  ExpectSpread(Quotient(Spread{12, 10, 14, true}, Spread{4, 2, 5, true}), 3, 2, 7);
}

TEST(SpreadTest, AQuotientOfANegativeNumerator) {
  ExpectSpread(Quotient(Spread{-1, -4, 2, true}, Spread{2, 1, 4, true}), -0.5, -4, 2);
  ExpectSpread(Quotient(Spread{-2, -4, -1, true}, Spread{2, 1, 4, true}), -1, -4, -0.25);
}

TEST(SpreadTest, AQuotientNeedsAPositiveDenominator) {
  EXPECT_FALSE(Quotient(Exactly(1), Spread{1, -1, 2, true}).has_value());
  EXPECT_FALSE(Quotient(Exactly(1), Exactly(0)).has_value());
}

}  // namespace
}  // namespace lockstep
