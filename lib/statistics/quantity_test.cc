#include "lib/statistics/quantity.h"

#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(QuantityTest, ARepeatedMeasurementKeepsItsExtremes) {
  const proto::Quantity quantity = Measured({2, 1, 3, true}, "by clock");
  EXPECT_EQ(quantity.value(), 2);
  EXPECT_EQ(quantity.low(), 1);
  EXPECT_EQ(quantity.high(), 3);
  EXPECT_EQ(quantity.provenance(), proto::MEASURED);
}

TEST(QuantityTest, ANegativeValueIsKeptAndReported) {
  const proto::Quantity quantity = Derived(Exactly(-0.5), "T_comm");
  EXPECT_EQ(quantity.value(), -0.5);
  EXPECT_THAT(quantity.method(), HasSubstr("negative"));
}

TEST(QuantityTest, WhatIsNotFiniteIsBlankWithTheReason) {
  for (const Spread& spread : {Exactly(kNan), Exactly(kInfinity), Spread{1, -kInfinity, 2, true}}) {
    for (const proto::Quantity& quantity : {Measured(spread, "by clock"), Derived(spread, "by clock")}) {
      EXPECT_FALSE(quantity.has_value());
      EXPECT_FALSE(quantity.has_low());
      EXPECT_THAT(quantity.absent_reason(), HasSubstr("by clock"));
    }
  }
}

TEST(QuantityTest, AFittedValueHasItsIntervalWhereThatIsFinite) {
  const proto::Quantity bounded = Modelled(2, Interval{1, 3}, 0.95, "least squares");
  EXPECT_EQ(bounded.low(), 1);
  EXPECT_EQ(bounded.high(), 3);
  EXPECT_EQ(bounded.provenance(), proto::MODELLED);
  EXPECT_EQ(bounded.method(), "least squares; interval: 95 %, Student's t");
  for (const auto& nowhere : {std::optional<Interval>(), std::optional<Interval>(Interval{0, kInfinity})}) {
    const proto::Quantity open = Modelled(2, nowhere, 0.95, "least squares");
    EXPECT_EQ(open.value(), 2);
    EXPECT_FALSE(open.has_low());
    EXPECT_EQ(open.method(), "least squares");
  }
}

}  // namespace
}  // namespace lockstep
