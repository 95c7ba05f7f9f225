#include "lib/dataset/augment.h"

#include <array>
#include <set>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/dataset/dataset.h"

namespace lockstep {
namespace {

constexpr std::array<float, 3> kMean = {0.4914f, 0.4822f, 0.4465f};
constexpr std::array<float, 3> kStd = {0.2023f, 0.1994f, 0.2010f};

std::vector<uint8_t> AnImage() {
  std::vector<uint8_t> pixels(kImageBytes);
  for (uint32_t i = 0; i < kImageBytes; ++i) {
    pixels[i] = static_cast<uint8_t>(i * 7 + i / 256);
  }
  return pixels;
}

// Computes the result step by step: a black 40x40 frame, the image in its middle, crop, flip, scaling, normalisation.
std::vector<float> Reference(const std::vector<uint8_t>& pixels, const Augmentation& augmentation) {
  std::vector<float> out;
  for (uint32_t c = 0; c < 3; ++c) {
    uint8_t frame[40][40] = {};
    for (uint32_t y = 0; y < 32; ++y) {
      for (uint32_t x = 0; x < 32; ++x) {
        frame[y + 4][x + 4] = pixels[c * 1024 + y * 32 + x];
      }
    }
    for (uint32_t y = 0; y < 32; ++y) {
      for (uint32_t x = 0; x < 32; ++x) {
        const uint8_t byte = frame[y + augmentation.top][(augmentation.flip ? 31 - x : x) + augmentation.left];
        out.push_back((static_cast<float>(byte) / 255.0f - kMean[c]) / kStd[c]);
      }
    }
  }
  return out;
}

std::vector<float> Augmented(const std::vector<uint8_t>& pixels, const Augmentation& augmentation) {
  std::vector<float> out(kImageBytes);
  AugmentImage(pixels.data(), augmentation, MakeNormalizationTable(kMean, kStd), out.data());
  return out;
}

TEST(AugmentTest, TheDefaultOnlyNormalises) {
  const std::vector<uint8_t> pixels = AnImage();
  const std::vector<float> out = Augmented(pixels, Augmentation{});
  for (uint32_t i = 0; i < kImageBytes; ++i) {
    ASSERT_EQ(out[i], (static_cast<float>(pixels[i]) / 255.0f - kMean[i / 1024]) / kStd[i / 1024]) << i;
  }
}

TEST(AugmentTest, EveryCropAndFlipEqualsTheReference) {
  const std::vector<uint8_t> pixels = AnImage();
  for (uint32_t top = 0; top <= 8; ++top) {
    for (uint32_t left = 0; left <= 8; ++left) {
      for (const bool flip : {false, true}) {
        const Augmentation augmentation{top, left, flip};
        ASSERT_EQ(Augmented(pixels, augmentation), Reference(pixels, augmentation))
            << top << " " << left << " " << flip;
      }
    }
  }
}

TEST(AugmentTest, PaddingIsBlackBeforeTheNormalisation) {
  const std::vector<float> out = Augmented(std::vector<uint8_t>(kImageBytes, 255), Augmentation{0, 4, false});
  EXPECT_EQ(out[0], (0.0f - kMean[0]) / kStd[0]);
  EXPECT_EQ(out[4 * 32], (1.0f - kMean[0]) / kStd[0]);
}

// A crop of an image that is no square, compared with the definition: the image in a frame of 4 black pixels.
TEST(AugmentTest, ImagesOfAnySizeAreCropped) {
  constexpr ImageExtent kExtent = {5, 9};
  std::vector<uint8_t> pixels(3 * 5 * 9);
  for (size_t i = 0; i < pixels.size(); ++i) {
    pixels[i] = static_cast<uint8_t>(1 + i);
  }
  const NormalizationTable table = MakeNormalizationTable(kMean, kStd);
  for (uint32_t top = 0; top <= 8; ++top) {
    for (uint32_t left = 0; left <= 8; ++left) {
      for (const bool flip : {false, true}) {
        std::vector<float> out(pixels.size());
        AugmentImage(pixels.data(), {top, left, flip}, table, out.data(), kExtent);
        for (uint32_t i = 0; i < out.size(); ++i) {
          const uint32_t c = i / 45, y = i % 45 / 9, x = flip ? 8 - i % 9 : i % 9;
          const uint32_t row = y + top - 4, column = x + left - 4;  // beyond the image if outside, also below 0
          const uint8_t byte = row < 5 && column < 9 ? pixels[c * 45 + row * 9 + column] : 0;
          ASSERT_EQ(out[i], table[c][byte]) << top << " " << left << " " << flip << " " << i;
        }
      }
    }
  }
}

TEST(DrawAugmentationTest, IsAFunctionOfSeedEpochAndImage) {
  const auto key = [](uint64_t seed, uint32_t epoch, uint32_t image) {
    std::vector<uint32_t> drawn;
    for (uint32_t i = 0; i < 8; ++i) {  // 8 images: two of 162^8 sets are not equal by chance
      const Augmentation a = DrawAugmentation(seed, epoch, image + i);
      drawn.insert(drawn.end(), {a.top, a.left, a.flip});
    }
    return drawn;
  };
  EXPECT_EQ(key(1, 2, 3), key(1, 2, 3));
  EXPECT_NE(key(1, 2, 3), key(2, 2, 3));
  EXPECT_NE(key(1, 2, 3), key(1, 3, 3));
  EXPECT_NE(key(1, 2, 3), key(1, 2, 4));
}

// 10,000 images: half are flipped, with standard deviation sqrt(10000/4) = 50; the tolerance of six deviations is 300.
// The 81 crops have mean 123.5 and standard deviation 11; six deviations are 66.
TEST(DrawAugmentationTest, CropsAndFlipsAreUniform) {
  uint32_t flips = 0;
  std::array<uint32_t, 81> crops{};
  for (uint32_t image = 0; image < 10'000; ++image) {
    const Augmentation a = DrawAugmentation(0, 0, image);
    flips += a.flip ? 1 : 0;
    ++crops.at(a.top * 9 + a.left);
  }
  EXPECT_NEAR(flips, 5000, 300);
  for (const uint32_t count : crops) {
    EXPECT_NEAR(count, 123.5, 66);
  }
}

}  // namespace
}  // namespace lockstep
