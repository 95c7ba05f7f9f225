// Compares the kernels' epilogue, compiled for the host, with lib/int8/requantize.h.
#include "lib/int8_cuda/epilogue.cuh"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "lib/int8/requantize.h"
#include "lib/int8_cuda/epilogue_tables.h"

namespace lockstep {
namespace {

int8_t ByteOf(uint32_t word, uint32_t i) { return static_cast<int8_t>(word >> (8 * i)); }

// Returns RunInteger's result for a sum.
int8_t Expected(int32_t sum, float bias, float multiplier, int32_t zero_point, bool relu) {
  const float rounded = ScaleAndRound(static_cast<float>(sum) + bias, multiplier) + static_cast<float>(zero_point);
  return relu ? std::max(ClampToInt8(rounded), static_cast<int8_t>(zero_point)) : ClampToInt8(rounded);
}

// A layer of four outputs with its epilogue on the host.
class FourOutputs {
 public:
  FourOutputs(std::vector<float> multiplier, std::vector<float> bias, int32_t zero_point, bool relu,
              const IntegerLayer* addition = nullptr, bool own_is_first = true)
      : multiplier_(std::move(multiplier)), bias_(std::move(bias)) {
    IntegerLayer layer;
    layer.shape = ConvShape("conv", 0, {1, 1, 1}, 4, 1);
    layer.shape.relu = relu;
    layer.zero_point = zero_point;
    epilogue_ = MakeEpilogue({layer, 0, addition, own_is_first});
    epilogue_.start = start_;
    epilogue_.multiplier = multiplier_.data();
    epilogue_.float_bias = bias_.empty() ? nullptr : bias_.data();
  }

  Epilogue& epilogue() { return epilogue_; }

  // Returns the four results. Both widths must give the same bytes.
  uint32_t Finish(const int32_t (&sums)[4], uint32_t addend = 0) {
    const uint32_t word = FinishQuad(epilogue_, sums, start_, 0, addend);
    const uint32_t low = FinishPair(epilogue_, {sums[0], sums[1]}, start_, 0, addend & 0xFFFF);
    const uint32_t high = FinishPair(epilogue_, {sums[2], sums[3]}, start_, 2, addend >> 16);
    EXPECT_EQ(word, low | high << 16);
    return word;
  }

 private:
  alignas(16) int32_t start_[16] = {};
  std::vector<float> multiplier_, bias_;
  Epilogue epilogue_;
};

std::vector<int32_t> Sums(std::mt19937& random) {
  std::vector<int32_t> sums = {0, 1, -1, std::numeric_limits<int32_t>::max(), std::numeric_limits<int32_t>::min()};
  for (int32_t i = -600; i <= 600; ++i) {
    sums.push_back(i);
  }
  for (int i = 0; i < 2000; ++i) {
    sums.push_back(static_cast<int32_t>(random()) >> (random() % 28));
  }
  sums.resize(sums.size() / 4 * 4);
  return sums;
}

TEST(EpilogueTest, ResultsAreThoseOfTheHost) {
  std::mt19937 random(1);
  const std::vector<int32_t> sums = Sums(random);
  for (const float multiplier : {0.0f, 0.5f, 0.25f, 1.0f, 0.1f, 0.003f, 1e-6f, 1e30f, 3e38f}) {
    for (const int32_t zero_point : {-128, -127, -3, 0, 1, 64, 127}) {
      for (const bool relu : {false, true}) {
        for (const std::vector<float>& bias : {std::vector<float>(), std::vector<float>{0.5f, -0.5f, 1e6f, -0.3f}}) {
          FourOutputs four(std::vector<float>(4, multiplier), bias, zero_point, relu);
          for (size_t i = 0; i < sums.size(); i += 4) {
            const uint32_t word = four.Finish({sums[i], sums[i + 1], sums[i + 2], sums[i + 3]});
            for (uint32_t c = 0; c < 4; ++c) {
              ASSERT_EQ(ByteOf(word, c),
                        Expected(sums[i + c], bias.empty() ? 0 : bias[c], multiplier, zero_point, relu))
                  << sums[i + c] << " * " << multiplier << ", zero point " << zero_point << ", relu " << relu;
            }
          }
        }
      }
    }
  }
}

TEST(EpilogueTest, EachChannelHasItsOwnMultiplierAndBias) {
  FourOutputs four({1.0f, 0.5f, 0.25f, 2.0f}, {1.0f, 2.0f, -4.0f, 0.5f}, 1, false);
  EXPECT_EQ(four.Finish({10, 20, 30, 40}), (uint32_t{12} | 12 << 8 | 7 << 16 | 82 << 24));
}

// All 65,536 pairs of values, with either operand first.
TEST(EpilogueTest, FusedAdditionsAreThoseOfTheHost) {
  for (const auto& [a, b] : {std::pair{1.0f, 1.0f}, {0.5f, 0.5f}, {0.7f, 1.3f}, {1e9f, 0.5f}, {0.5f, 0.001f}}) {
    for (const bool own_is_first : {false, true}) {
      for (const bool relu : {false, true}) {
        IntegerLayer addition;
        addition.zero_point = 5;
        addition.shape.relu = relu;
        addition.add = MakeAddFactors(a, b, -7, 9, addition.zero_point);
        FourOutputs four(std::vector<float>(4, 1.0f), {}, 0, false, &addition, own_is_first);
        const int8_t addend = 0;
        four.epilogue().addend = &addend;  // not null: there is an addend
        for (int32_t own = -128; own < 128; ++own) {
          for (int32_t other = -128; other < 128; ++other) {
            const uint32_t word = four.Finish({own, own, own, own}, 0x01010101u * static_cast<uint8_t>(other));
            const int8_t first = static_cast<int8_t>(own_is_first ? own : other);
            const int8_t second = static_cast<int8_t>(own_is_first ? other : own);
            const int8_t sum = AddInt8(first, second, addition.add);
            const int8_t expected = relu ? std::max<int8_t>(sum, 5) : sum;
            ASSERT_EQ(word, 0x01010101u * static_cast<uint8_t>(expected)) << own << " and " << other;
          }
        }
      }
    }
  }
}

TEST(EpilogueTest, SumsAreWrittenForTheLayersOutputsAlone) {
  Epilogue epilogue;
  epilogue.outputs = 6;
  const int32_t start[16] = {1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<int32_t> out(13, -1);
  WriteSums(epilogue, {10, 10, 10, 10}, start, 1, 0, out.data());
  WriteSums(epilogue, {10, 10, 10, std::numeric_limits<int32_t>::max()}, start, 1, 4, out.data());
  EXPECT_EQ(out, (std::vector<int32_t>{-1, -1, -1, -1, -1, -1, 11, 12, 13, 14, 15, 16, -1}));
}

TEST(EpilogueTest, APixelStartsAsItsClassDoes) {
  Epilogue epilogue;
  const int32_t start[48] = {};
  const uint16_t classes[3] = {2, 0, 1};
  epilogue.start = start;
  epilogue.channels = 16;
  epilogue.pixels = 3;
  EXPECT_EQ(StartOf(epilogue, 5), start);
  epilogue.classes = classes;
  EXPECT_EQ(StartOf(epilogue, 0), start + 32);
  EXPECT_EQ(StartOf(epilogue, 4), start);
  EXPECT_EQ(StartOf(epilogue, 5), start + 16);
}

}  // namespace
}  // namespace lockstep
