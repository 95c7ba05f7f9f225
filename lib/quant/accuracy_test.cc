#include "lib/quant/accuracy.h"

#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::EqualsProto;

Prediction Of(const std::vector<int8_t>& logits) { return Predict(logits.data(), logits.size()); }

TEST(PredictTest, TheLargestLogit) {
  EXPECT_EQ(Of({-3, 7, 5}).label, 1u);
  EXPECT_FALSE(Of({-3, 7, 5}).tie);
  EXPECT_EQ(Of({-128}).label, 0u);
}

TEST(PredictTest, OfEqualLogitsTheFirst) {
  EXPECT_EQ(Of({1, 7, 7, 2}).label, 1u);
  EXPECT_TRUE(Of({1, 7, 7, 2}).tie);
}

TEST(PredictTest, ATieBelowTheLargestIsNone) {
  EXPECT_FALSE(Of({5, 5, 9, 9, 100}).tie);
  EXPECT_FALSE(Of({100, 5, 5}).tie);
}

TEST(CountAccuracyTest, CountsRightOnesFlipsAndTies) {
  const std::vector<uint8_t> labels = {0, 1, 2, 3};
  const std::vector<Prediction> fp32 = {{0}, {1}, {0}, {0}};        // right right wrong wrong
  const std::vector<Prediction> int8 = {{0}, {5, true}, {2}, {9}};  // right wrong right wrong
  EXPECT_THAT(
      CountAccuracy(proto::INT8_WEIGHTS, int8, fp32, labels),
      EqualsProto("stage: INT8_WEIGHTS correct: 2 images: 4 flips_to_wrong: 1 flips_to_right: 1 argmax_ties: 1"));
  EXPECT_THAT(CountAccuracy(proto::FP32_NETWORK, fp32, fp32, labels),
              EqualsProto("stage: FP32_NETWORK correct: 2 images: 4"));
}

}  // namespace
}  // namespace lockstep
