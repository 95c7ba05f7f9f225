#include "lib/onnx/rescale.h"

#include <cmath>
#include <cstdlib>
#include <optional>
#include <random>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/int8/requantize.h"

namespace lockstep {
namespace {

int8_t ByIdentity(int value, float step, const TensorParams& input, const TensorParams& output) {
  const float product = input.step * step;
  return Requantize(value - input.zero_point, product / output.step, output.zero_point);
}

TEST(RescaleTest, TheReferenceRoundsHalfToEvenAndClamps) {
  const TensorParams coarse = {0.5f, -128}, fine = {0.25f, 0}, half = {1, 0};
  EXPECT_EQ(RescaleReference(-128, coarse, fine), 0);
  EXPECT_EQ(RescaleReference(-127, coarse, fine), 2);
  EXPECT_EQ(RescaleReference(127, coarse, fine), 127);
  EXPECT_EQ(RescaleReference(-127, coarse, half), 0);  // 0.5
  EXPECT_EQ(RescaleReference(-125, coarse, half), 2);  // 1.5
}

// Parameters of two tensors, with a ratio of output step to input step of about `ratio`.
struct Pair {
  TensorParams input, output;
};
Pair RandomPair(float ratio, std::mt19937& random) {
  const auto zero_point = [&] { return static_cast<int32_t>(random() % 256) - 128; };
  const float step = std::exp2(static_cast<float>(random()) / 4294967296.0f * 20 - 15);
  return {{step, zero_point()}, {step * ratio, zero_point()}};
}

TEST(RescaleTest, TheIdentityGivesTheSameValues) {
  std::mt19937 random(1);
  int different = 0;
  for (int i = 0; i < 5000; ++i) {
    const Pair pair = RandomPair(std::exp2(static_cast<float>(random()) / 4294967296.0f * 4 - 2), random);
    const std::optional<float> step = RescaleStep(pair.input, pair.output);
    ASSERT_TRUE(step);
    for (int value = -128; value <= 127; ++value) {
      different += ByIdentity(value, *step, pair.input, pair.output) !=
                           RescaleReference(static_cast<int8_t>(value), pair.input, pair.output)
                       ? 1
                       : 0;
    }
  }
  EXPECT_EQ(different, 0);
}

// Every other value lies in the middle between two integers.
TEST(RescaleTest, ARatioOfTwoMayDifferByOne) {
  std::mt19937 random(1);
  int different = 0;
  for (int i = 0; i < 1000; ++i) {
    const Pair pair = RandomPair(2, random);
    const std::optional<float> step = RescaleStep(pair.input, pair.output);
    ASSERT_TRUE(step);
    for (int value = -128; value <= 127; ++value) {
      const int ours = ByIdentity(value, *step, pair.input, pair.output);
      const int theirs = RescaleReference(static_cast<int8_t>(value), pair.input, pair.output);
      if (ours != theirs) {
        ++different;
        EXPECT_EQ(std::abs(ours - theirs), 1);
        EXPECT_EQ(std::abs(value - pair.input.zero_point) % 2, 1);
      }
    }
  }
  EXPECT_GT(different, 0);
  EXPECT_LT(different, 1000 * 128 / 4);
}

TEST(RescaleTest, EqualStepsOnlyMoveTheZeroPoint) {
  EXPECT_EQ(RescaleStep({0.0829707682132721f, -128}, {0.0829707682132721f, 3}), 1.0f);
}

// The multiplier would leave the range of float32.
TEST(RescaleTest, RefusesARatioThatIsNoNumber) {
  EXPECT_EQ(RescaleStep({1e30f, 0}, {1e-30f, 0}), std::nullopt);
  EXPECT_EQ(RescaleStep({1e-30f, 0}, {1e30f, 0}), std::nullopt);
}

}  // namespace
}  // namespace lockstep
