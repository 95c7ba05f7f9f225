#include "lib/wording/small_experiments.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(SmallExperimentsTest, RowsAreNamedAsScaleRunNamesThem) {
  EXPECT_EQ(SmallLargeBatchRows(256, 1844),
            "256;1844;1844, linear rate;1844, warm-up;1844, clipping;1844, LARS;1844, label smoothing");
}

// Seven rows of two seeds; batches are divided by two ranks.
TEST(SmallExperimentsTest, SecondsGrowWithTheImages) {
  const double start = 14;
  EXPECT_NEAR(SmallLargeBatchSeconds(0, 256, 1844), start, 1e-9);
  EXPECT_NEAR(SmallLargeBatchSeconds(5000, 624, 4500),
              start + 2 * 5 * 5000 * (7 * 1.09e-4 + 4.9e-4 / 312 + 6 * 4.9e-4 / 2250), 1e-9);
  EXPECT_NEAR(SmallSamplerSeconds(5000, 128), 4 + 4 * 5 * 5000 * (1.09e-4 + 4.9e-4 / 64), 1e-9);
  EXPECT_NEAR(SmallSentSeconds(), 4 * (1 + (256 + 16) * (2.5e-2 + 3.3e-2 / 16)), 1e-9);
}

}  // namespace
}  // namespace lockstep
