#include "lib/statistics/mean.h"

#include <vector>

#include "gtest/gtest.h"
#include "lib/proto/quantity.pb.h"

namespace lockstep {
namespace {

TEST(MeanTest, OfNoValuesItIsZero) { EXPECT_EQ(Mean(std::vector<double>()), 0); }

TEST(MeanTest, OfWholeNumbersItIsNoWholeNumber) { EXPECT_EQ(Mean(std::vector<int>({1, 2})), 1.5); }

TEST(MeanTest, OfSamples) {
  proto::Samples samples;
  for (const double value : {4.0, 2.0, 3.0}) {
    samples.add_value(value);
  }
  EXPECT_EQ(Mean(samples.value()), 3);
}

}  // namespace
}  // namespace lockstep
