// Convolutions by Hopper's instructions must have the bits of the reference implementation, in every configuration.
// Needs a Hopper GPU.
#include "lib/int8_cuda/hopper_convolution.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/cuda/device_array_testing.h"
#include "lib/int8/integer_reference.h"
#include "lib/int8/random_values_testing.h"
#include "lib/int8_cuda/device_layout.h"
#include "lib/int8_cuda/gpu_isa.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::DeviceArray;
using ::lockstep::testing::HaveGpu;

constexpr uint32_t kMultiprocessors = 132;

bool HaveHopper() { return HaveGpu() && CheckGpuIsa(GpuIsa::kWgmma).ok(); }

std::vector<int8_t> RandomInt8(size_t size, int min_value, std::mt19937& random) {
  std::vector<int8_t> values(size);
  for (int8_t& value : values) {
    value = static_cast<int8_t>(min_value + static_cast<int>(random() % static_cast<uint32_t>(128 - min_value)));
  }
  return values;
}

struct Case {
  LayerShape shape;
  int32_t input_zero_point = 0;
  int32_t zero_point = 0;
  bool relu = true;
  bool adds = false;
  bool own_is_first = true;
  bool extreme = false;  // inputs and weights of the largest size
};

LayerShape Shape(uint32_t in, uint32_t out, uint32_t size, uint32_t kernel, uint32_t stride) {
  LayerShape shape = ConvShape(absl::StrCat(in, "->", out, " ", kernel, "x", kernel, " of ", size, " by ", stride), 0,
                               {size, size, in}, out, kernel);
  shape.stride = stride;
  shape.padding = kernel / 2;
  return shape;
}

IntegerLayer MakeLayer(const Case& c, std::mt19937& random) {
  IntegerLayer layer;
  layer.shape = c.shape;
  layer.shape.relu = c.relu;
  layer.weight = RandomInt8(c.shape.WeightSize(), -127, random);
  if (c.extreme) {
    std::fill(layer.weight.begin(), layer.weight.end(), int8_t{-127});
  }
  const double spread = std::sqrt(static_cast<double>(c.shape.Terms())) * 70 * 70;
  for (uint32_t i = 0; i < c.shape.out_channels; ++i) {
    const float offset = static_cast<float>(testing::NormalValue(random) * spread);
    layer.bias.push_back(static_cast<int32_t>(offset));
    // Some multipliers are powers of two, so that ties occur.
    layer.multiplier.push_back(i % 5 == 0 ? 0.5f / 64
                                          : static_cast<float>((0.2 + testing::UniformValue(random)) * 60 / spread));
  }
  layer.zero_point = c.adds ? 3 : c.zero_point;
  return layer;
}

// A layer with inputs, and the results that a GPU must compute for `images` images.
class Problem {
 public:
  Problem(const Case& c, uint32_t images, uint32_t seed) : case_(c), images_(images), random_(seed) {
    network_.input_zero_point = c.input_zero_point;
    network_.layers.push_back(MakeLayer(c, random_));
    addition_.shape.relu = c.relu;
    addition_.zero_point = c.zero_point;
    addition_.add = c.own_is_first ? MakeAddFactors(0.71f, 0.53f, 3, -7, c.zero_point)
                                   : MakeAddFactors(0.53f, 0.71f, -7, 3, c.zero_point);
    if (c.adds) {
      network_.layers[0].shape.relu = false;
    }
    input_ = RandomInt8(images * c.shape.In().Size(), -128, random_);
    if (c.extreme) {
      std::fill(input_.begin(), input_.end(), int8_t{-128});
    }
    addend_ = RandomInt8(images * c.shape.Out().Size(), -128, random_);
    for (uint32_t image = 0; image < images; ++image) {
      const std::vector<int32_t> of_image = RunInteger(network_, input_.data() + image * c.shape.In().Size());
      for (const int32_t value : of_image) {
        expected_.push_back(static_cast<int8_t>(value));
      }
    }
    for (size_t i = 0; c.adds && i < expected_.size(); ++i) {
      const int8_t sum = c.own_is_first ? AddInt8(expected_[i], addend_[i], addition_.add)
                                        : AddInt8(addend_[i], expected_[i], addition_.add);
      expected_[i] = c.relu ? std::max(sum, static_cast<int8_t>(c.zero_point)) : sum;
    }
  }

  void ExpectAllWaysEqual() const {
    const ConvolutionTask task = {network_.layers[0], case_.input_zero_point, case_.adds ? &addition_ : nullptr,
                                  case_.own_is_first};
    ASSERT_TRUE(HopperCovers(task)) << case_.shape.name;
    const auto convolution = HopperConvolution::Make(task);
    ASSERT_THAT(convolution, testing::IsOk());
    // Padding channels may hold anything.
    const size_t channels = case_.shape.in_channels, padded = PaddedChannels(case_.shape.in_channels);
    std::vector<int8_t> laid_out(input_.size() / channels * padded, int8_t{77});
    for (size_t i = 0; i < input_.size(); ++i) {
      laid_out[i / channels * padded + i % channels] = input_[i];
    }
    DeviceArray<int8_t> input(laid_out), addend(addend_);
    const std::vector<HopperConfig> configs = HopperConfigs(case_.shape, images_, kMultiprocessors);
    for (const HopperConfig& config : configs) {
      DeviceArray<int8_t> output(expected_.size());
      cudaStream_t stream = nullptr;
      for (int repeat = 0; repeat < 2; ++repeat) {
        ASSERT_THAT((*convolution)
                        ->LaunchWith(config, input.data(), case_.adds ? addend.data() : nullptr, output.data(), images_,
                                     stream),
                    testing::IsOk());
      }
      ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
      const std::vector<int8_t> found = output.ToHost();
      size_t different = 0, first = 0;
      for (size_t i = found.size(); i-- > 0;) {
        if (found[i] != expected_[i]) {
          ++different;
          first = i;
        }
      }
      EXPECT_EQ(different, 0) << case_.shape.name << ", " << images_ << " images, " << DescribeHopperConfig(config)
                              << ": of " << found.size() << " values, first " << first << ": "
                              << static_cast<int>(found[first]) << ", not " << static_cast<int>(expected_[first]);
    }
  }

 private:
  const Case case_;
  const uint32_t images_;
  std::mt19937 random_;
  IntegerNetwork network_;
  IntegerLayer addition_;
  std::vector<int8_t> input_, addend_, expected_;
};

std::vector<LayerShape> Shapes() {
  return {Shape(64, 64, 32, 3, 1),   Shape(128, 128, 16, 3, 1), Shape(256, 256, 8, 3, 1), Shape(512, 512, 4, 3, 1),
          Shape(64, 128, 32, 3, 2),  Shape(128, 256, 16, 3, 2), Shape(256, 512, 8, 3, 2), Shape(64, 128, 32, 1, 2),
          Shape(128, 256, 16, 1, 2), Shape(256, 512, 8, 1, 2),  Shape(128, 64, 16, 1, 1), Shape(64, 192, 8, 3, 1),
          Shape(3, 64, 32, 3, 1),    Shape(16, 128, 8, 3, 1),   Shape(256, 512, 8, 1, 1)};
}

TEST(HopperConvolutionTest, HasThePlainLoopsBits) {
  if (!HaveHopper()) {
    GTEST_SKIP() << "no Hopper GPU";
  }
  uint32_t seed = 1;
  for (const LayerShape& shape : Shapes()) {
    for (const uint32_t images : {1u, 5u}) {
      Problem({shape}, images, seed++).ExpectAllWaysEqual();
    }
  }
}

TEST(HopperConvolutionTest, AddsAnotherTensorOnTheWay) {
  if (!HaveHopper()) {
    GTEST_SKIP() << "no Hopper GPU";
  }
  uint32_t seed = 100;
  for (const LayerShape& shape : Shapes()) {
    const bool own_is_first = seed % 2 == 0;
    Problem({shape, 0, 0, true, true, own_is_first}, 3, seed++).ExpectAllWaysEqual();
  }
}

TEST(HopperConvolutionTest, ZeroPointsAndExtremes) {
  if (!HaveHopper()) {
    GTEST_SKIP() << "no Hopper GPU";
  }
  uint32_t seed = 200;
  for (const LayerShape& shape : Shapes()) {
    Problem({shape, -128, 5, false, false, true}, 2, seed++).ExpectAllWaysEqual();
    Problem({shape, 13, -128, true, true, false}, 2, seed++).ExpectAllWaysEqual();
    Problem({shape, 0, 0, false, false, true, true}, 2, seed++).ExpectAllWaysEqual();
  }
}

// Has more tiles than blocks, so that each block does several and both groups take turns.
TEST(HopperConvolutionTest, ManyTiles) {
  if (!HaveHopper()) {
    GTEST_SKIP() << "no Hopper GPU";
  }
  Problem({Shape(64, 64, 32, 3, 1), 0, 0, true, true, true}, 150, 300).ExpectAllWaysEqual();
  Problem({Shape(64, 128, 32, 1, 2), 0, 0, true, false, true}, 300, 302).ExpectAllWaysEqual();
  Problem({Shape(256, 256, 8, 1, 1), 0, 0, true, true, false}, 1100, 303).ExpectAllWaysEqual();
  Problem({Shape(3, 64, 32, 3, 1), -128, 0, true, false, false}, 150, 304).ExpectAllWaysEqual();
}

TEST(HopperConvolutionTest, RefusesWhatItHasNoKernelFor) {
  const auto covers = [](const LayerShape& shape, float multiplier = 0.001f) {
    IntegerLayer layer;
    layer.shape = shape;
    layer.multiplier.assign(shape.out_channels, multiplier);
    layer.weight.assign(shape.WeightSize(), 127);
    return HopperCovers({layer, 0, nullptr, true});
  };
  EXPECT_TRUE(covers(Shape(64, 64, 32, 3, 1)));
  EXPECT_TRUE(covers(Shape(3, 64, 32, 3, 1)));
  EXPECT_FALSE(covers(Shape(3, 64, 32, 3, 2)));
  EXPECT_FALSE(covers(Shape(3, 64, 32, 1, 1)));
  EXPECT_FALSE(covers(Shape(64, 63, 32, 3, 1)));
  EXPECT_FALSE(covers(Shape(192, 64, 32, 3, 1)));
  EXPECT_FALSE(covers(Shape(64, 64, 32, 5, 1)));
  EXPECT_FALSE(covers(Shape(64, 64, 4, 3, 1)));
  EXPECT_FALSE(covers(Shape(64, 64, 64, 3, 1)));
  EXPECT_FALSE(covers(Shape(64, 64, 32, 3, 1), 1.0f));  // a scaled sum of 9 million
}

}  // namespace
}  // namespace lockstep
