#include "lib/int8_cpu/window_class.h"

#include <algorithm>
#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

LayerShape Convolution(uint32_t side, uint32_t kernel, uint32_t stride, uint32_t padding) {
  LayerShape shape;
  shape.in_channels = 2;
  shape.in_height = shape.in_width = side;
  shape.out_channels = 3;
  shape.kernel = kernel;
  shape.stride = stride;
  shape.padding = padding;
  return shape;
}

std::vector<size_t> Sizes(const std::vector<WindowClass>& classes) {
  std::vector<size_t> sizes;
  for (const WindowClass& window_class : classes) {
    sizes.push_back(window_class.pixels.size());
  }
  return sizes;
}

TEST(WindowClassTest, OneClassWithoutPadding) {
  const std::vector<WindowClass> classes = WindowClasses(Convolution(5, 3, 2, 0), PixelOutputs::kOwn);
  ASSERT_THAT(Sizes(classes), ElementsAre(4));
  EXPECT_EQ(classes[0].rows, (TapRange{0, 3}));
  EXPECT_EQ(classes[0].pixels[3].input, (2 * 5 + 2) * 2u);  // at (2, 2)
  EXPECT_EQ(classes[0].pixels[3].output, 3 * 3u);
}

TEST(WindowClassTest, NineWithPaddingOnAllSides) {
  const std::vector<WindowClass> classes = WindowClasses(Convolution(4, 3, 1, 1), PixelOutputs::kOwn);
  EXPECT_THAT(Sizes(classes), UnorderedElementsAre(1, 2, 1, 2, 4, 2, 1, 2, 1));
  EXPECT_EQ(classes[0].rows, (TapRange{1, 3}));  // the top left corner begins at the image's first pixel
  EXPECT_EQ(classes[0].pixels[0].input, 0u);
}

// Each pixel must be in one class once, and the taps of all pixels must be the real ones.
TEST(WindowClassTest, AllRealTapsAreThere) {
  for (uint32_t kernel = 1; kernel <= 7; ++kernel) {
    for (uint32_t stride = 1; stride <= 3; ++stride) {
      for (uint32_t padding = 0; padding < kernel; ++padding) {
        const LayerShape shape = Convolution(7, kernel, stride, padding);
        uint64_t taps = 0;
        std::set<uint32_t> outputs;
        for (const WindowClass& window_class : WindowClasses(shape, PixelOutputs::kOwn)) {
          taps += uint64_t{window_class.rows.Count()} * window_class.columns.Count() * window_class.pixels.size();
          for (const PixelPlace& pixel : window_class.pixels) {
            outputs.insert(pixel.output);
          }
        }
        EXPECT_EQ(taps * shape.in_channels * shape.out_channels, shape.RealMacs());
        EXPECT_EQ(outputs.size() * shape.out_channels, shape.Out().Size());
      }
    }
  }
}

TEST(WindowClassTest, PixelsOfAPoolingWindowFollowOneAnother) {
  LayerShape shape = Convolution(5, 1, 1, 0);
  shape.pool = 2;
  const std::vector<WindowClass> classes = WindowClasses(shape, PixelOutputs::kPooled);
  ASSERT_THAT(Sizes(classes), ElementsAre(16));  // 2 x 2 windows of 4; the last row and column are left out
  std::vector<uint32_t> inputs, outputs;
  for (const PixelPlace& pixel : classes[0].pixels) {
    inputs.push_back(pixel.input / 2);
    outputs.push_back(pixel.output / 3);
  }
  EXPECT_THAT(inputs, ElementsAre(0, 1, 5, 6, 2, 3, 7, 8, 10, 11, 15, 16, 12, 13, 17, 18));
  EXPECT_THAT(outputs, ElementsAre(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3));
}

}  // namespace
}  // namespace lockstep
