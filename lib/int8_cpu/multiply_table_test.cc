#include "lib/int8_cpu/multiply_table.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

// Its Multiply writes the numbers of panels and rows.
struct Tier {
  static constexpr uint32_t kMaxPixels[] = {6, 3};
  static constexpr uint32_t kRowPixels = 2;

  template <uint32_t kPanels, uint32_t kRows>
  static void Multiply(const Tile& tile) {
    tile.sums[0] = kPanels;
    tile.sums[1] = kRows;
  }
};

constexpr TileKernels kKernels = WithMultiplyTable<Tier>({.max_blocks = 5});

TEST(MultiplyTableTest, SetsTheLimitsAndKeepsEverythingElse) {
  EXPECT_EQ(kKernels.max_panels, 2u);
  EXPECT_EQ(kKernels.max_pixels[1], 6u);
  EXPECT_EQ(kKernels.max_pixels[2], 3u);
  EXPECT_EQ(kKernels.max_blocks, 5u);
}

TEST(MultiplyTableTest, EachNumberOfPixelsHasItsRows) {
  for (uint32_t panels = 1; panels <= 2; ++panels) {
    for (uint32_t pixels = 1; pixels <= kKernels.max_pixels[panels]; ++pixels) {
      int32_t sums[2] = {};
      Tile tile = {};
      tile.sums = sums;
      kKernels.multiply[panels][pixels](tile);
      EXPECT_EQ(sums[0], static_cast<int32_t>(panels));
      EXPECT_EQ(sums[1], static_cast<int32_t>((pixels + 1) / 2));
    }
  }
}

TEST(MultiplyTableTest, HasFunctionsForAWholeWindowAndNoMore) {
  EXPECT_NE(kKernels.multiply[2][kMaxWindow], nullptr);
  EXPECT_EQ(kKernels.multiply[2][kMaxWindow + 1], nullptr);
  EXPECT_EQ(kKernels.multiply[1][7], nullptr);
  EXPECT_EQ(kKernels.multiply[3][1], nullptr);
  EXPECT_EQ(kKernels.multiply[1][0], nullptr);
}

}  // namespace
}  // namespace lockstep
