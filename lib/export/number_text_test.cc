#include "lib/export/number_text.h"

#include <limits>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(NumberTextTest, IsShortAndReadsBackExactly) {
  EXPECT_EQ(NumberText(0.1), "0.1");
  EXPECT_EQ(NumberText(1700000000.25), "1700000000.25");
  EXPECT_EQ(NumberText(1.0 / 3), "0.3333333333333333");     // 16 digits are needed
  EXPECT_EQ(NumberText(0.1 + 0.2), "0.30000000000000004");  // and here 17
}

TEST(NumberTextTest, WhatIsNotFiniteHasAName) {
  EXPECT_EQ(NumberText(std::numeric_limits<double>::quiet_NaN()), "NaN");
  EXPECT_EQ(NumberText(-std::numeric_limits<double>::infinity()), "-Inf");
}

}  // namespace
}  // namespace lockstep
