#include "lib/audit/chance.h"

#include <cmath>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

constexpr PrintedNumber kPercent = {80, 1};    // "80"
constexpr PrintedNumber kSpeedup = {2, 0.01};  // "2.00"

TEST(ChanceTest, TheShareOfNumbersOfThisSize) {
  EXPECT_DOUBLE_EQ(ShareOf(kPercent), 1.0 / 80);
  EXPECT_DOUBLE_EQ(ShareOf(kSpeedup), 0.01 / 2);
  EXPECT_DOUBLE_EQ(ShareOf(kSpeedup, 0.02), 0.05 / 2);
  EXPECT_DOUBLE_EQ(ShareOf({-2, 0.01}, -0.02), 0.05 / 2);
  EXPECT_EQ(ShareOf({0, 0.1}), 1);  // any value near 0
  EXPECT_EQ(ShareOf(kSpeedup, 5), 1);
}

TEST(ChanceTest, ValuesOfThisSize) {
  for (const double value : {40.0, 79.0, 160.0}) {
    EXPECT_TRUE(IsOfSize(value, kPercent)) << value;
  }
  for (const double value : {39.9, 160.1, -80.0, 0.0, HUGE_VAL}) {
    EXPECT_FALSE(IsOfSize(value, kPercent)) << value;
  }
  EXPECT_TRUE(IsOfSize(0.04, {0, 0.1}));
  EXPECT_FALSE(IsOfSize(0.4, {0, 0.1}));
}

TEST(ChanceTest, SeveralConventionsAndNumbers) {
  EXPECT_NEAR(ChanceOf(1, 1, {0.01}), 0.01, 1e-12);
  EXPECT_NEAR(ChanceOf(7, 1, {0.01}), 0.07, 1e-12);
  EXPECT_NEAR(ChanceOf(1, 3, {0.1, 0.2}), 3 * 0.02, 1e-12);  // any two of three numbers
  EXPECT_NEAR(ChanceOf(1, 2, {}), 1, 1e-12);
  EXPECT_EQ(ChanceOf(50, 1, {0.1}), 1);
  EXPECT_LT(ChanceOf(1e6, 10'000, std::vector<double>(10'000, 1e-9)), 1e-300);
}

TEST(ChanceTest, FingerprintsDistinguishValuesAndPlaces) {
  EXPECT_EQ(Fingerprint(0, 0, 1.5), Fingerprint(0, 0, 1.5 * (1 + 1e-15)));
  EXPECT_NE(Fingerprint(0, 0, 1.5), Fingerprint(0, 0, 1.5 * (1 + 1e-8)));
  EXPECT_NE(Fingerprint(0, 0, 1.5), Fingerprint(0, 0, 3));
  EXPECT_NE(Fingerprint(0, 0, 1.5), Fingerprint(0, 0, -1.5));
  EXPECT_NE(Fingerprint(0, 0, 1.5), Fingerprint(0, 1, 1.5));
  EXPECT_NE(Fingerprint(Fingerprint(0, 0, 1.5), 1, 2.5), Fingerprint(Fingerprint(0, 0, 2.5), 1, 1.5));
}

}  // namespace
}  // namespace lockstep
