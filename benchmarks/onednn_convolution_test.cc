// Compares oneDNN's layers with the plain loops of lib/int8, for any installed version of oneDNN.
#include "benchmarks/onednn_convolution.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "lib/int8/integer_reference.h"
#include "lib/int8/network.h"
#include "lib/int8/random_integer_network_testing.h"

namespace lockstep {
namespace {

using ::lockstep::testing::LastOutput;
using ::lockstep::testing::RandomIntegerNetworkOf;

constexpr size_t kImages = 2;

// Makes a convolution of 16 to 32 channels with a scale of its own for each. Weights are even and in [-62, 62]: without
// VNNI, oneDNN halves the weights of a signed input, and adds two products in 16 bits, which 2 * 127 * 62 fits.
IntegerNetwork ConvolutionWithScales(uint32_t stride, bool relu) {
  LayerShape shape = ConvShape("conv", /*input=*/0, {.height = 9, .width = 9, .channels = 16}, 32, /*kernel=*/3);
  shape.stride = stride;
  shape.padding = 1;
  shape.relu = relu;
  IntegerNetwork network = RandomIntegerNetworkOf({shape}, LastOutput::kInt8, /*seed=*/1);
  IntegerLayer& layer = network.layers[0];
  for (int8_t& weight : layer.weight) {
    weight = static_cast<int8_t>(weight / 4 * 2);
  }
  for (size_t channel = 0; channel < layer.multiplier.size(); ++channel) {
    layer.multiplier[channel] *= 1 + static_cast<float>(channel) / 16;
  }
  return network;
}

// Compares one layer on values in [0, 127], which are the same bytes as int8 and as uint8.
void ExpectTheReferenceWithinOne(const IntegerNetwork& network, InputSign sign) {
  const IntegerLayer& layer = network.layers[0];
  const auto convolution = MakeOneDnnConvolution(layer, kImages, sign);
  if (convolution == nullptr) {
    GTEST_SKIP() << "built without oneDNN";
  }
  std::mt19937 random(1);
  std::vector<int8_t> input(kImages * layer.shape.In().Size());
  std::generate(input.begin(), input.end(), [&] { return static_cast<int8_t>(random() & 0x7F); });
  std::vector<int8_t> output(kImages * layer.shape.Out().Size());
  convolution->Run(input.data(), output.data());
  for (size_t image = 0; image < kImages; ++image) {
    const std::vector<int32_t> expected = RunInteger(network, input.data() + image * layer.shape.In().Size());
    for (size_t i = 0; i < expected.size(); ++i) {
      // The same real number, computed in float32 in another order: it may be rounded to the next integer.
      ASSERT_LE(std::abs(output[image * expected.size() + i] - expected[i]), 1)
          << "image " << image << ", value " << i << ", " << convolution->Implementation();
    }
  }
}

TEST(OneDnnConvolutionTest, SignedInputWithRelu) {
  ExpectTheReferenceWithinOne(ConvolutionWithScales(1, true), InputSign::kSigned);
}

TEST(OneDnnConvolutionTest, UnsignedInputWithRelu) {
  ExpectTheReferenceWithinOne(ConvolutionWithScales(1, true), InputSign::kUnsigned);
}

TEST(OneDnnConvolutionTest, StrideWithoutRelu) {
  ExpectTheReferenceWithinOne(ConvolutionWithScales(2, false), InputSign::kSigned);
}

}  // namespace
}  // namespace lockstep
