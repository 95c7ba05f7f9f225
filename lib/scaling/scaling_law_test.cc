#include "lib/scaling/scaling_law.h"

#include <cmath>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

double Speedup(ScalingLaw law, double ranks, double serial, double coherency = 0) {
  return std::exp(LogSpeedupAt(law, ranks, serial, coherency).value);
}

TEST(ScalingLawFormulaTest, SpeedupsByHand) {
  EXPECT_DOUBLE_EQ(Speedup(ScalingLaw::kAmdahl, 4, 0.25), 4 / 1.75);
  EXPECT_DOUBLE_EQ(Speedup(ScalingLaw::kGustafson, 4, 0.25), 3.25);
  EXPECT_DOUBLE_EQ(Speedup(ScalingLaw::kUniversal, 4, 0.25, 0.125), 4 / 3.25);
  for (const ScalingLaw law : {ScalingLaw::kAmdahl, ScalingLaw::kGustafson, ScalingLaw::kUniversal}) {
    EXPECT_DOUBLE_EQ(Speedup(law, 1, 0.25, 0.125), 1);
  }
}

TEST(ScalingLawFormulaTest, NoThroughputIsNoNumber) {
  EXPECT_FALSE(std::isfinite(LogSpeedupAt(ScalingLaw::kGustafson, 4, 2, 0).value));  // 4 - 6 < 0
}

// A difference over 2h has an error of h^2 times a third derivative, 1e5 by b, and of rounding over h, 1e-10.
TEST(ScalingLawFormulaTest, DerivativesAreThoseOfTheValue) {
  constexpr double kStep = 1e-6;
  for (const ScalingLaw law : {ScalingLaw::kAmdahl, ScalingLaw::kGustafson, ScalingLaw::kUniversal}) {
    const double b = law == ScalingLaw::kUniversal ? 0.01 : 0;
    const LogSpeedup at = LogSpeedupAt(law, 8, 0.1, b);
    const auto value = [&](double da, double db) { return LogSpeedupAt(law, 8, 0.1 + da, b + db).value; };
    EXPECT_NEAR(at.by_serial, (value(kStep, 0) - value(-kStep, 0)) / (2 * kStep), 1e-8);
    if (law == ScalingLaw::kUniversal) {
      EXPECT_NEAR(at.by_coherency, (value(0, kStep) - value(0, -kStep)) / (2 * kStep), 1e-6);
    }
  }
}

}  // namespace
}  // namespace lockstep
