#include "lib/lab_records/seed_difference.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

proto::Samples Seeds(const std::vector<double>& values) {
  proto::Samples samples;
  samples.mutable_value()->Add(values.begin(), values.end());
  return samples;
}

// Both deviations are 2. Hence t = 40 / sqrt(8 / 3) with 4 degrees of freedom.
TEST(SeedDifferenceTest, OneDifferenceIsNotCorrected) {
  const SeedDifference far = CompareSeeds(Seeds({60, 62, 64}), Seeds({20, 22, 24}));
  EXPECT_TRUE(far.significant() && far.above() && !far.below());
  EXPECT_EQ(far.mean, 40);
  EXPECT_NEAR(far.adjusted_p, 1.6483088987181252e-05, 1e-12);
  const SeedDifference turned = CompareSeeds(Seeds({20, 22, 24}), Seeds({60, 62, 64}));
  EXPECT_TRUE(turned.significant() && !turned.above() && turned.below());
}

// All values of one group are above all values of the other, but the difference is not significant.
TEST(SeedDifferenceTest, RangesThatPartAreNotEnough) {
  const SeedDifference near = CompareSeeds(Seeds({10, 20, 22}), Seeds({1, 9, 9.5}));
  EXPECT_FALSE(near.significant());
  EXPECT_EQ(near.Reason(), "within the spread of 3 seeds, p = 0.085");
}

TEST(SeedDifferenceTest, SeveralDifferencesAreCorrectedForTheirNumber) {
  const SeedPair near = {Seeds({24, 26, 28}), Seeds({20, 22, 24})};  // p = 0.0705
  const SeedPair far = {Seeds({30, 32, 34}), Seeds({20, 22, 24})};   // p = 0.0036
  const SeedPair one = {Seeds({30}), Seeds({20, 22, 24})};
  const auto differences = CompareSeeds({near, far, one, near});
  ASSERT_EQ(differences.size(), 4);
  EXPECT_NEAR(differences[1].adjusted_p, 3 * 0.0036022326091040007, 1e-12);
  EXPECT_TRUE(differences[1].significant());
  EXPECT_EQ(differences[0].Reason(),
            "within the spread of 3 seeds, p = 0.14 after Holm's correction for 3 comparisons");
  EXPECT_EQ(differences[2].Reason(), "one seed has no spread");
  EXPECT_FALSE(differences[2].significant());
  const auto many = CompareSeeds(std::vector<SeedPair>(14, far));
  EXPECT_FALSE(many.front().significant());  // 14 times 0.0036
}

TEST(SeedDifferenceTest, WithoutASpreadThereIsAReason) {
  EXPECT_EQ(CompareSeeds(Seeds({}), Seeds({1, 2})).Reason(), "a row was not trained");
  EXPECT_EQ(CompareSeeds(Seeds({1, 1}), Seeds({2, 2})).Reason(), "equal seeds have no spread");
}

TEST(FormatPValueTest, SmallOnesAreBounds) {
  EXPECT_EQ(FormatPValue(0.0312), "p = 0.031");
  EXPECT_EQ(FormatPValue(1e-9), "p < 0.001");
  EXPECT_EQ(FormatPValue(1), "p = 1.0");
}

}  // namespace
}  // namespace lockstep
