#include "lib/kernels/augment_batch.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"
#include "lib/cuda/device_array_testing.h"
#include "lib/dataset/augment.h"
#include "lib/dataset/counter_random.h"
#include "lib/dataset/dataset.h"
#include "lib/dataset/sampler.h"
#include "lib/kernels/values_testing.h"

namespace lockstep {
namespace {

using ::lockstep::testing::DeviceArray;
using ::lockstep::testing::HaveGpu;
using ::lockstep::testing::SameBits;

constexpr uint32_t kImages = 300;
constexpr uint64_t kSeed = 17;

// Random pixels and labels, an epoch's order, and the lab's normalisation, all on the host.
struct SmallEpoch {
  ImageExtent extent;
  std::vector<uint8_t> pixels;
  std::vector<uint16_t> labels;
  std::vector<uint32_t> order = EpochOrder(kImages, kSeed, 3);
  NormalizationTable table = MakeNormalizationTable({0.4914f, 0.4822f, 0.4465f}, {0.2023f, 0.1994f, 0.2010f});
  uint32_t first = 40;
  uint32_t epoch = 3;

  explicit SmallEpoch(ImageExtent image_extent = {}) : extent(image_extent) {
    CounterRandom random(kSeed, RandomPurpose::kSyntheticImage, 0, 0);
    std::generate_n(std::back_inserter(pixels), kImages * 3 * extent.height * extent.width,
                    [&] { return random.Next() & 255; });
    std::generate_n(std::back_inserter(labels), kImages, [&] { return random.Below(1000); });
  }

  AugmentBatchInput HostInput(uint32_t batch, bool augment = true, uint32_t ahead = 0) const {
    return {pixels.data(), labels.data(), order.data(), &first, &epoch, table[0].data(), kSeed,
            batch,         augment,       ahead,        extent, rule,   mirror};
  }

  AugmentationRule rule;
  bool mirror = false;
};

template <typename T>
void ExpectKernelEqualsReference(ImageLayout layout, uint32_t batch, bool augment, uint32_t ahead = 0,
                                 ImageExtent extent = {}, AugmentationRule rule = {}, uint32_t epoch_number = 3,
                                 bool mirror = false) {
  SmallEpoch host(extent);
  host.rule = rule;
  host.epoch = epoch_number;
  host.mirror = mirror;
  std::vector<T> images(batch * ImageElements(layout, extent));
  std::vector<int64_t> labels(batch);
  AugmentBatchReference(host.HostInput(batch, augment, ahead), layout, images.data(), labels.data());

  DeviceArray<uint8_t> pixels(host.pixels);
  DeviceArray<uint16_t> all_labels(host.labels);
  DeviceArray<uint32_t> order(host.order), first(std::vector<uint32_t>{host.first}),
      epoch(std::vector<uint32_t>{host.epoch});
  DeviceArray<float> table(std::vector<float>(host.table[0].data(), host.table[0].data() + 3 * 256));
  DeviceArray<T> out(batch * ImageElements(layout, extent));
  DeviceArray<int64_t> out_labels(batch);
  const AugmentBatchInput input = {
      pixels.data(), all_labels.data(), order.data(), first.data(), epoch.data(), table.data(), kSeed,
      batch,         augment,           ahead,        extent,       rule,         mirror};
  ASSERT_EQ(AugmentBatch(input, layout, out.data(), out_labels.data(), nullptr), cudaSuccess);
  EXPECT_TRUE(SameBits(out.ToHost(), images));
  EXPECT_EQ(out_labels.ToHost(), labels);
}

TEST(AugmentBatchTest, ReferenceIsTheLoadersImage) {
  const SmallEpoch host;
  std::vector<float> images(2 * kImageBytes);
  std::vector<int64_t> labels(2);
  AugmentBatchReference(host.HostInput(2), ImageLayout::kNchw, images.data(), labels.data());
  const uint32_t index = host.order[host.first + 1];
  std::vector<float> expected(kImageBytes);
  AugmentImage(&host.pixels[index * kImageBytes], DrawAugmentation(kSeed, host.epoch, index), host.table,
               expected.data());
  EXPECT_TRUE(SameBits(std::vector<float>(images.begin() + kImageBytes, images.end()), expected));
  EXPECT_EQ(labels[1], host.labels[index]);
}

TEST(AugmentBatchTest, ReferencesPatchesAreEachPixelsNeighbourhood) {
  const SmallEpoch host;
  std::vector<float> nchw(kImageBytes), patches(ImageElements(ImageLayout::kPatches), 1.0f);
  std::vector<int64_t> label(1);
  AugmentBatchReference(host.HostInput(1), ImageLayout::kNchw, nchw.data(), label.data());
  AugmentBatchReference(host.HostInput(1), ImageLayout::kPatches, patches.data(), label.data());
  const auto patch = [&](uint32_t y, uint32_t x, uint32_t element) { return patches[32 * (32 * y + x) + element]; };
  const auto image = [&](uint32_t channel, uint32_t y, uint32_t x) { return nchw[channel * kPlaneBytes + 32 * y + x]; };
  EXPECT_EQ(patch(5, 6, 0), image(0, 4, 5));   // pixel above and left, red
  EXPECT_EQ(patch(5, 6, 13), image(1, 5, 6));  // the pixel itself, green
  EXPECT_EQ(patch(5, 6, 26), image(2, 6, 7));  // pixel below and right, blue
  EXPECT_EQ(patch(5, 6, 20), image(2, 6, 5));  // pixel below and left, blue
  EXPECT_EQ(patch(5, 6, 27), 0);
  EXPECT_EQ(patch(5, 6, 31), 0);
  EXPECT_EQ(patch(0, 6, 8), 0);     // beyond the upper border of the image
  EXPECT_EQ(patch(31, 31, 26), 0);  // beyond the lower right corner
  EXPECT_EQ(patch(31, 31, 12), image(0, 31, 31));
}

TEST(AugmentBatchTest, KernelEqualsReferenceBitForBit) {
  if (!HaveGpu()) {
    GTEST_SKIP() << "no CUDA device";
  }
  for (const ImageLayout layout : {ImageLayout::kNchw, ImageLayout::kNhwc, ImageLayout::kPatches}) {
    for (const uint32_t batch : {1u, 2u, 37u, 260u}) {
      ExpectKernelEqualsReference<float>(layout, batch, true);
      ExpectKernelEqualsReference<__nv_bfloat16>(layout, batch, true);
      ExpectKernelEqualsReference<float>(layout, batch, false);
    }
    ExpectKernelEqualsReference<__nv_bfloat16>(layout, 37, true, /*ahead=*/200);
  }
}

TEST(AugmentBatchTest, KernelEqualsReferenceForOtherImageSizes) {
  if (!HaveGpu()) {
    GTEST_SKIP() << "no CUDA device";
  }
  for (const ImageLayout layout : {ImageLayout::kNchw, ImageLayout::kNhwc, ImageLayout::kPatches}) {
    for (const uint32_t size : {8u, 16u, 40u, 64u}) {
      const ImageExtent square = {size, size};
      ExpectKernelEqualsReference<float>(layout, 37, true, 0, square);
      ExpectKernelEqualsReference<__nv_bfloat16>(layout, 37, true, /*ahead=*/200, square);
      ExpectKernelEqualsReference<float>(layout, 5, false, 0, square);
    }
  }
  ExpectKernelEqualsReference<float>(ImageLayout::kPatches, 2, true, 0, {kMaxAugmentSize, kMaxAugmentSize});
  for (const ImageLayout layout : {ImageLayout::kNchw, ImageLayout::kNhwc}) {
    for (const ImageExtent extent : {ImageExtent{1, 1}, {9, 5}, {28, 28}, {33, 70}, {480, 640}}) {
      ExpectKernelEqualsReference<float>(layout, 3, true, 0, extent);
    }
  }
}

// Every combination of border, flip and cutout, in an even and in an odd epoch.
TEST(AugmentBatchTest, KernelEqualsReferenceForEveryRule) {
  if (!HaveGpu()) {
    GTEST_SKIP() << "no CUDA device";
  }
  for (const CropBorder border : {CropBorder::kZero, CropBorder::kReflect}) {
    for (const FlipRule flip : {FlipRule::kRandom, FlipRule::kAlternating}) {
      for (const uint32_t cutout : {0u, 1u, 12u, 16u}) {
        const AugmentationRule rule = {border, flip, cutout};
        for (const ImageLayout layout : {ImageLayout::kNchw, ImageLayout::kNhwc, ImageLayout::kPatches}) {
          for (const uint32_t epoch : {0u, 7u}) {
            ExpectKernelEqualsReference<float>(layout, 37, true, 0, {}, rule, epoch);
            ExpectKernelEqualsReference<__nv_bfloat16>(layout, 37, true, /*ahead=*/200, {}, rule, epoch);
            ExpectKernelEqualsReference<float>(layout, 37, true, 0, {16, 16}, rule, epoch);
            ExpectKernelEqualsReference<float>(layout, 5, false, 0, {16, 16}, rule, epoch);
          }
        }
      }
    }
  }
}

TEST(AugmentBatchTest, KernelEqualsReferenceForRulesOfOtherImageSizes) {
  if (!HaveGpu()) {
    GTEST_SKIP() << "no CUDA device";
  }
  const AugmentationRule all = {CropBorder::kReflect, FlipRule::kAlternating, 12};
  for (const ImageLayout layout : {ImageLayout::kNchw, ImageLayout::kNhwc}) {
    for (const ImageExtent extent : {ImageExtent{13, 40}, {28, 28}, {33, 70}, {480, 640}}) {
      ExpectKernelEqualsReference<float>(layout, 3, true, 0, extent, all);
    }
    ExpectKernelEqualsReference<float>(layout, 3, true, 0, {5, 6}, {CropBorder::kReflect, FlipRule::kRandom, 5});
  }
  for (const uint32_t size : {16u, 40u, 224u, kMaxAugmentSize}) {
    ExpectKernelEqualsReference<__nv_bfloat16>(ImageLayout::kPatches, 2, true, 0, {size, size}, all);
  }
}

TEST(AugmentBatchTest, RefusesARuleThatTheImagesDoNotFit) {
  AugmentBatchInput input;
  input.extent = {16, 8};
  input.rule.cutout = 9;
  EXPECT_EQ(AugmentBatch<float>(input, ImageLayout::kNchw, nullptr, nullptr, nullptr), cudaErrorInvalidValue);
  input.extent = {4, 16};
  input.rule = {CropBorder::kReflect};
  EXPECT_EQ(AugmentBatch<float>(input, ImageLayout::kNchw, nullptr, nullptr, nullptr), cudaErrorInvalidValue);
  input.augment = false;  // the rule is not used; a batch of no images is no error
  EXPECT_EQ(AugmentBatch<float>(input, ImageLayout::kNchw, nullptr, nullptr, nullptr), cudaSuccess);
}

// The same draws and pixels as the loader's, with all parts of a rule.
TEST(AugmentBatchTest, ReferenceWithARuleIsTheLoadersImage) {
  SmallEpoch host;
  host.rule = {CropBorder::kReflect, FlipRule::kAlternating, 12};
  std::vector<float> images(2 * kImageBytes), expected(kImageBytes);
  std::vector<int64_t> labels(2);
  AugmentBatchReference(host.HostInput(2), ImageLayout::kNchw, images.data(), labels.data());
  const uint32_t index = host.order[host.first + 1];
  AugmentImage(&host.pixels[index * kImageBytes], DrawAugmentation(kSeed, host.epoch, index, host.rule), host.table,
               expected.data());
  EXPECT_TRUE(SameBits(std::vector<float>(images.begin() + kImageBytes, images.end()), expected));
  EXPECT_GE(std::count(expected.begin(), expected.end(), 0.0f), 3 * 64);  // the crop leaves 8x8 of the cutout or more
}

TEST(AugmentBatchTest, RefusesImageSizesItCannotHandle) {
  AugmentBatchInput input;
  for (const uint32_t size : {0u, 4u, 36u, 408u}) {
    input.extent = {size, size};
    EXPECT_EQ(AugmentBatch<float>(input, ImageLayout::kPatches, nullptr, nullptr, nullptr), cudaErrorInvalidValue);
  }
  input.extent = {16, 24};
  EXPECT_EQ(AugmentBatch<float>(input, ImageLayout::kPatches, nullptr, nullptr, nullptr), cudaErrorInvalidValue);
  input.extent = {0, 24};
  EXPECT_EQ(AugmentBatch<float>(input, ImageLayout::kNchw, nullptr, nullptr, nullptr), cudaErrorInvalidValue);
}

// Patches of an image of 16x16: the lower right pixel and its neighbours.
TEST(AugmentBatchTest, ReferencesPatchesOfASmallerImage) {
  const SmallEpoch host({16, 16});
  std::vector<float> nchw(3 * 256), patches(ImageElements(ImageLayout::kPatches, {16, 16}), 1.0f);
  std::vector<int64_t> label(1);
  AugmentBatchReference(host.HostInput(1), ImageLayout::kNchw, nchw.data(), label.data());
  AugmentBatchReference(host.HostInput(1), ImageLayout::kPatches, patches.data(), label.data());
  const float* const last = &patches[32 * 255];
  EXPECT_EQ(last[0], nchw[14 * 16 + 14]);
  EXPECT_EQ(last[13], nchw[256 + 15 * 16 + 15]);
  EXPECT_EQ(last[26], 0);
}

TEST(AugmentBatchTest, ReferencesChannelsLastHoldsTheSameValues) {
  const ImageExtent extent = {9, 5};
  const SmallEpoch host(extent);
  std::vector<float> nchw(2 * 3 * 45), nhwc(2 * 3 * 45);
  std::vector<int64_t> labels(2);
  AugmentBatchReference(host.HostInput(2), ImageLayout::kNchw, nchw.data(), labels.data());
  AugmentBatchReference(host.HostInput(2), ImageLayout::kNhwc, nhwc.data(), labels.data());
  for (const uint32_t n : {0u, 1u}) {
    for (const uint32_t c : {0u, 1u, 2u}) {
      EXPECT_EQ(nhwc[n * 135 + (7 * 5 + 3) * 3 + c], nchw[n * 135 + c * 45 + 7 * 5 + 3]);
    }
  }
}

TEST(AugmentBatchTest, WithoutAugmentationAnImageIsOnlyNormalised) {
  const SmallEpoch host;
  std::vector<float> image(kImageBytes);
  std::vector<int64_t> label(1);
  AugmentBatchReference(host.HostInput(1, false), ImageLayout::kNchw, image.data(), label.data());
  const uint32_t index = host.order[host.first];
  EXPECT_EQ(image[kPlaneBytes + 5], host.table[1][host.pixels[index * kImageBytes + kPlaneBytes + 5]]);
}

TEST(AugmentBatchTest, AMirroredImageHasItsColumnsReversed) {
  SmallEpoch host({9, 5});
  std::vector<float> plain(3 * 45), mirrored(3 * 45);
  std::vector<int64_t> label(1);
  AugmentBatchReference(host.HostInput(1, false), ImageLayout::kNchw, plain.data(), label.data());
  host.mirror = true;
  AugmentBatchReference(host.HostInput(1, false), ImageLayout::kNchw, mirrored.data(), label.data());
  for (uint32_t row = 0; row < 3 * 9; ++row) {
    for (uint32_t x = 0; x < 5; ++x) {
      EXPECT_EQ(mirrored[row * 5 + x], plain[row * 5 + 4 - x]) << row << ", " << x;
    }
  }
}

TEST(AugmentBatchTest, KernelEqualsReferenceForMirroredImages) {
  if (!HaveGpu()) {
    GTEST_SKIP() << "no CUDA device";
  }
  for (const ImageExtent extent : {ImageExtent{}, {16, 16}, {40, 40}}) {
    ExpectKernelEqualsReference<float>(ImageLayout::kNchw, 37, false, 0, extent, {}, 0, true);
    ExpectKernelEqualsReference<__nv_bfloat16>(ImageLayout::kPatches, 37, false, 200, extent, {}, 0, true);
  }
}

TEST(AugmentBatchTest, RefusesToMirrorAnAugmentedImage) {
  AugmentBatchInput input;
  input.mirror = true;
  EXPECT_EQ(AugmentBatch<float>(input, ImageLayout::kNchw, nullptr, nullptr, nullptr), cudaErrorInvalidValue);
  input.augment = false;
  EXPECT_EQ(AugmentBatch<float>(input, ImageLayout::kNchw, nullptr, nullptr, nullptr), cudaSuccess);
}

TEST(AugmentBatchTest, NoImagesAreNoError) {
  if (!HaveGpu()) {
    GTEST_SKIP() << "no CUDA device";
  }
  EXPECT_EQ(AugmentBatch<float>({}, ImageLayout::kNchw, nullptr, nullptr, nullptr), cudaSuccess);
}

}  // namespace
}  // namespace lockstep
