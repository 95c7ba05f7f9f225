#include "lib/kernels/layer_factors.h"

#include <cmath>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "lib/cuda/device_array_testing.h"
#include "lib/dataset/counter_random.h"
#include "lib/kernels/layer_squares.h"
#include "lib/kernels/values_testing.h"

namespace lockstep {
namespace {

using ::lockstep::testing::DeviceArray;
using ::lockstep::testing::HaveGpu;
using ::lockstep::testing::SameBits;

// Returns the sums of each layer, divided into two parts.
std::vector<double> Squares(const std::vector<double>& of_layer) {
  std::vector<double> squares(of_layer.size() * kSquareParts);
  for (size_t layer = 0; layer < of_layer.size(); ++layer) {
    squares[layer * kSquareParts + 1] = of_layer[layer] / 4;
    squares[layer * kSquareParts + kSquareParts - 1] = of_layer[layer] * 3 / 4;
  }
  return squares;
}

struct Rule {
  float gradient_scale = 1, clip_norm = 0, lars = 0, weight_decay = 0.25f;
};

// Computes the factors of three layers, the first two with local rates.
std::vector<float> Factors(const Rule& rule, const std::vector<double>& gradients, const std::vector<double>& weights) {
  const std::vector<double> gradient_squares = Squares(gradients), weight_squares = Squares(weights);
  std::vector<float> factors(2 * gradients.size());
  LayerFactorsReference({static_cast<uint32_t>(gradients.size()), static_cast<uint32_t>(weights.size()),
                         gradient_squares.data(), weight_squares.data(), rule.gradient_scale, rule.clip_norm, rule.lars,
                         rule.weight_decay, factors.data()});
  return factors;
}

TEST(LayerFactorsTest, WithoutRulesTheyAreSgds) {
  EXPECT_EQ(Factors({0.5f}, {9, 16, 144}, {25, 0}), std::vector<float>({0.5f, 0.25f, 0.5f, 0.25f, 0.5f, 0.25f}));
}

// Norms 3, 4 and 12, together 13, each times 1/2 for the scale: clipped to 3.25.
TEST(LayerFactorsTest, ClippingByHand) {
  const std::vector<float> factors = Factors({0.5f, 3.25f}, {9, 16, 144}, {25, 0});
  for (const int layer : {0, 1, 2}) {
    EXPECT_FLOAT_EQ(factors[2 * layer], 0.5 * 3.25 / (6.5 + 1e-6));
    EXPECT_EQ(factors[2 * layer + 1], 0.25f);
  }
  EXPECT_EQ(Factors({0.5f, 7}, {9, 16, 144}, {25, 0})[0], 0.5f);  // not scaled up
}

// |w| = 5, |g| = 3 * 0.5: local = 0.125 * 5 / (1.5 + 0.25 * 5). The rate is 1 for weights of 0 and for the third layer,
// which represents biases and batch norm and is not decayed.
TEST(LayerFactorsTest, LocalRatesByHand) {
  const std::vector<float> factors = Factors({0.5f, 0, 0.125f}, {9, 16, 144}, {25, 0});
  const double local = 0.125 * 5 / (1.5 + 0.25 * 5);
  EXPECT_FLOAT_EQ(factors[0], 0.5 * local);
  EXPECT_FLOAT_EQ(factors[1], 0.25 * local);
  EXPECT_EQ(factors[2], 0.5f);
  EXPECT_EQ(factors[3], 0.25f);
  EXPECT_EQ(factors[4], 0.5f);
  EXPECT_EQ(factors[5], 0);
  EXPECT_EQ(Factors({0.5f, 0, 0.125f}, {0, 16, 144}, {25, 0})[0], 0.5f);  // zero gradient
}

// With clipping by half, the first layer's |g| is 1.5 in its local rate.
TEST(LayerFactorsTest, ClippingComesFirst) {
  const std::vector<float> factors = Factors({1, 6.5f, 0.125f}, {9, 16, 144}, {25, 0});
  const double clip = 6.5 / (13 + 1e-6), local = 0.125 * 5 / (3 * clip + 0.25 * 5);
  EXPECT_FLOAT_EQ(factors[0], clip * local);
  EXPECT_FLOAT_EQ(factors[1], 0.25 * local);
  EXPECT_FLOAT_EQ(factors[4], clip);
  EXPECT_EQ(factors[5], 0);
}

TEST(LayerFactorsTest, AGradientThatIsNaNStaysNaN) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const float factor : {Factors({1, 1, 0}, {9, nan, 1}, {1, 1})[0], Factors({1, 0, 1}, {nan, 1, 1}, {1, 1})[0]}) {
    EXPECT_TRUE(std::isnan(factor));
  }
}

TEST(LayerFactorsTest, KernelEqualsReferenceBitForBit) {
  if (!HaveGpu()) {
    GTEST_SKIP() << "no CUDA device";
  }
  CounterRandom random(1, RandomPurpose::kSyntheticImage, 1, 2);
  for (const uint32_t layers : {1u, 22u, kMaxLayers}) {
    std::vector<double> gradients(layers * kSquareParts), weights(layers * kSquareParts);
    for (std::vector<double>* squares : {&gradients, &weights}) {
      for (double& value : *squares) {
        value = random.Below(1u << 24) / 3.0;
      }
    }
    DeviceArray<double> device_gradients(gradients), device_weights(weights);
    for (const Rule& rule :
         {Rule{}, Rule{1.0f / 3, 0.1f}, Rule{1.0f / 3, 0, 0.001f, 5e-4f}, Rule{1, 3, 0.02f, 5e-4f}}) {
      std::vector<float> factors(2 * layers, -1);
      DeviceArray<float> device_factors(factors);
      LayerFactorsInput input = {layers,         layers - 1, gradients.data(),  weights.data(), rule.gradient_scale,
                                 rule.clip_norm, rule.lars,  rule.weight_decay, factors.data()};
      LayerFactorsReference(input);
      input.gradient_squares = device_gradients.data();
      input.weight_squares = device_weights.data();
      input.factors = device_factors.data();
      ASSERT_EQ(LayerFactors(input, nullptr), cudaSuccess);
      EXPECT_TRUE(SameBits(device_factors.ToHost(), factors)) << layers;
    }
  }
}

TEST(LayerFactorsTest, RefusesTooManyLayers) {
  LayerFactorsInput input;
  EXPECT_EQ(LayerFactors(input, nullptr), cudaSuccess);  // nothing to do
  input.layers = kMaxLayers + 1;
  EXPECT_EQ(LayerFactors(input, nullptr), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace lockstep
