#include "lib/dataset/augment.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
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

// Returns the augmented image by definition, pixel by pixel and with signed positions: cutout, crop, flip.
std::vector<float> ByDefinition(const std::vector<uint8_t>& pixels, const Augmentation& augmentation,
                                const NormalizationTable& table, ImageExtent extent) {
  const int height = static_cast<int>(extent.height), width = static_cast<int>(extent.width);
  const auto at = [](uint32_t number) { return static_cast<int>(number); };
  const auto mirrored = [](int position, int size) {  // like torch.nn.functional.pad(mode="reflect")
    const int folded = std::abs(position);
    return folded < size ? folded : 2 * (size - 1) - folded;
  };
  std::vector<float> out;
  for (int c = 0; c < 3; ++c) {
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        int row = y + at(augmentation.top) - 4;
        int column = (augmentation.flip ? width - 1 - x : x) + at(augmentation.left) - 4;
        if (augmentation.border == CropBorder::kReflect) {
          row = mirrored(row, height);
          column = mirrored(column, width);
        }
        if (row < 0 || row >= height || column < 0 || column >= width) {
          out.push_back(table[c][0]);
          continue;
        }
        const int from_top = row - at(augmentation.cutout_top), from_left = column - at(augmentation.cutout_left);
        const bool cut = from_top >= 0 && from_top < at(augmentation.cutout) && from_left >= 0 &&
                         from_left < at(augmentation.cutout);
        out.push_back(cut ? 0.0f : table[c][pixels[(c * height + row) * width + column]]);
      }
    }
  }
  return out;
}

TEST(AugmentTest, EveryBorderCropFlipAndCutoutEqualsTheDefinition) {
  const NormalizationTable table = MakeNormalizationTable(kMean, kStd);
  for (const ImageExtent extent : {ImageExtent{5, 9}, {16, 16}}) {
    std::vector<uint8_t> pixels(3 * extent.height * extent.width);
    for (size_t i = 0; i < pixels.size(); ++i) {
      pixels[i] = static_cast<uint8_t>(1 + i * 7);
    }
    for (const CropBorder border : {CropBorder::kZero, CropBorder::kReflect}) {
      for (const uint32_t cutout : {0u, 1u, 3u, 5u}) {
        for (uint32_t top = 0; top <= 8; ++top) {
          for (uint32_t left = 0; left <= 8; ++left) {
            for (const bool flip : {false, true}) {
              const uint32_t room = extent.height - cutout;
              const Augmentation augmentation = {top, left, flip, border, cutout, room * top / 8, room * left / 8};
              std::vector<float> out(pixels.size());
              AugmentImage(pixels.data(), augmentation, table, out.data(), extent);
              ASSERT_EQ(out, ByDefinition(pixels, augmentation, table, extent))
                  << extent.height << " " << top << " " << left << " " << flip << " " << cutout;
            }
          }
        }
      }
    }
  }
}

// torch.nn.functional.pad(torch.arange(5.)[None, None], (4, 4), mode="reflect"): 4 3 2 1 0 1 2 3 4 3 2 1 0.
TEST(AugmentTest, AReflectedBorderIsTorchs) {
  constexpr ImageExtent kExtent = {5, 5};
  std::vector<uint8_t> pixels(3 * 25);
  for (size_t i = 0; i < pixels.size(); ++i) {
    pixels[i] = static_cast<uint8_t>(i % 5);
  }
  NormalizationTable table;
  for (auto& channel : table) {
    std::iota(channel.begin(), channel.end(), 0.0f);
  }
  const std::vector<float> padded = {4, 3, 2, 1, 0, 1, 2, 3, 4, 3, 2, 1, 0};
  for (uint32_t left = 0; left <= 8; ++left) {
    std::vector<float> out(pixels.size());
    AugmentImage(pixels.data(), {4, left, false, CropBorder::kReflect}, table, out.data(), kExtent);
    EXPECT_EQ(std::vector<float>(out.begin(), out.begin() + 5),
              std::vector<float>(padded.begin() + left, padded.begin() + left + 5));
  }
}

TEST(AugmentTest, ACutoutIsZeroAfterTheNormalisation) {
  const std::vector<float> out =
      Augmented(std::vector<uint8_t>(kImageBytes, 255), {4, 4, false, CropBorder::kZero, 12, 20, 0});
  EXPECT_EQ(out[20 * 32 + 11], 0);  // the last column of the cutout in its first row
  EXPECT_EQ(out[20 * 32 + 12], (1.0f - kMean[0]) / kStd[0]);
  EXPECT_EQ(out[19 * 32 + 11], (1.0f - kMean[0]) / kStd[0]);
  EXPECT_EQ(out[1024 + 31 * 32], 0);  // the last row, green
  EXPECT_EQ(std::count(out.begin(), out.end(), 0.0f), 3 * 144);
}

TEST(FitsExtentTest, ACutoutIsNotLargerThanTheImage) {
  AugmentationRule rule;
  EXPECT_TRUE(FitsExtent(rule, {1, 1}));
  rule.cutout = 12;
  EXPECT_TRUE(FitsExtent(rule, {12, 400}));
  EXPECT_FALSE(FitsExtent(rule, {400, 11}));
  rule = {CropBorder::kReflect};
  EXPECT_TRUE(FitsExtent(rule, {5, 5}));
  EXPECT_FALSE(FitsExtent(rule, {5, 4}));
}

// Draws of the default rule, calculated from the SplitMix64 of counter_random.h by a program of its own: they must
// never change, because stored results depend on them.
TEST(DrawAugmentationTest, TheDrawsOfOlderRunsStay) {
  const auto drawn = [](uint64_t seed, uint32_t epoch, uint32_t image) {
    const Augmentation a = DrawAugmentation(seed, epoch, image);
    return std::array<uint32_t, 4>{a.top, a.left, a.flip, a.cutout};
  };
  EXPECT_EQ(drawn(0, 0, 0), (std::array<uint32_t, 4>{6, 2, 0, 0}));
  EXPECT_EQ(drawn(1, 2, 3), (std::array<uint32_t, 4>{7, 8, 0, 0}));
  EXPECT_EQ(drawn(17, 3, 299), (std::array<uint32_t, 4>{4, 8, 1, 0}));
  EXPECT_EQ(drawn(12345678901, 199, 49999), (std::array<uint32_t, 4>{2, 3, 1, 0}));
}

TEST(DrawAugmentationTest, ARuleChangesNeitherCropNorRandomFlip) {
  const AugmentationRule rule = {CropBorder::kReflect, FlipRule::kRandom, 12};
  for (uint32_t image = 0; image < 100; ++image) {
    const Augmentation plain = DrawAugmentation(3, 4, image), ruled = DrawAugmentation(3, 4, image, rule);
    EXPECT_EQ(ruled.top, plain.top);
    EXPECT_EQ(ruled.left, plain.left);
    EXPECT_EQ(ruled.flip, plain.flip);
    EXPECT_EQ(ruled.border, CropBorder::kReflect);
    EXPECT_EQ(ruled.cutout, 12);
  }
}

TEST(DrawAugmentationTest, TheAlternatingFlipTurnsInEachEpoch) {
  const AugmentationRule rule = {CropBorder::kZero, FlipRule::kAlternating};
  uint32_t flips = 0;
  for (uint32_t image = 0; image < 1000; ++image) {
    const bool first = DrawAugmentation(5, 0, image).flip;
    flips += first ? 1 : 0;
    for (uint32_t epoch = 0; epoch < 5; ++epoch) {
      const Augmentation drawn = DrawAugmentation(5, epoch, image, rule), plain = DrawAugmentation(5, epoch, image);
      ASSERT_EQ(drawn.flip, first != (epoch % 2 == 1)) << image << " " << epoch;
      ASSERT_EQ(drawn.top, plain.top);  // the crops differ from epoch to epoch as without the rule
      ASSERT_EQ(drawn.left, plain.left);
    }
  }
  EXPECT_NEAR(flips, 500, 95);  // six standard deviations of sqrt(1000 / 4)
}

// 10,000 images of 16x20 with a cutout of 12: 5 rows and 9 columns. The 45 places have mean 222.2 and standard
// deviation 14.7; six deviations are 89.
TEST(DrawAugmentationTest, CutoutsAreUniformWithinTheImage) {
  AugmentationRule rule;
  rule.cutout = 12;
  std::array<uint32_t, 45> places{};
  for (uint32_t image = 0; image < 10'000; ++image) {
    const Augmentation drawn = DrawAugmentation(0, 0, image, rule, {16, 20});
    ASSERT_LE(drawn.cutout_top, 4u);
    ASSERT_LE(drawn.cutout_left, 8u);
    ++places.at(drawn.cutout_top * 9 + drawn.cutout_left);
  }
  for (const uint32_t count : places) {
    EXPECT_NEAR(count, 222.2, 89);
  }
  rule.cutout = 16;  // side of the cutout = smaller side of the image
  EXPECT_EQ(DrawAugmentation(0, 0, 1, rule, {16, 20}).cutout_top, 0);
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
