// Compares the emulated tiles, and the CPU's own if it has AMX, with plain loops.
#include "lib/int8_cpu/emulated_tiles_testing.h"

#include <cstdint>
#include <random>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/int8_cpu/isa.h"

namespace lockstep {
namespace {

using ::lockstep::testing::EmulatedTiles;

constexpr size_t kStride = 80;  // differs from the 64 of a row
constexpr size_t kBytes = 16 * kStride;

struct Operands {
  std::vector<uint8_t> values = std::vector<uint8_t>(kBytes);
  std::vector<int8_t> weights = std::vector<int8_t>(kBytes);
  std::vector<int32_t> sums = std::vector<int32_t>(kBytes / 4);
};

Operands RandomOperands(std::mt19937& random) {
  Operands operands;
  const bool is_extreme = random() % 4 == 0;
  for (size_t i = 0; i < kBytes; ++i) {
    operands.values[i] = is_extreme ? 255 : static_cast<uint8_t>(random());
    operands.weights[i] = is_extreme ? -128 : static_cast<int8_t>(random());
  }
  for (int32_t& sum : operands.sums) {
    sum = static_cast<int32_t>(random());  // some wrap around
  }
  return operands;
}

std::vector<int32_t> ByLoops(const Operands& operands) {
  std::vector<int32_t> sums = operands.sums;
  for (size_t m = 0; m < 16; ++m) {
    for (size_t n = 0; n < 16; ++n) {
      uint32_t sum = static_cast<uint32_t>(sums[m * kStride / 4 + n]);
      for (size_t d = 0; d < 64; ++d) {
        sum +=
            static_cast<uint32_t>(operands.values[m * kStride + d] * operands.weights[d / 4 * kStride + 4 * n + d % 4]);
      }
      sums[m * kStride / 4 + n] = static_cast<int32_t>(sum);
    }
  }
  return sums;
}

template <typename Tiles>
std::vector<int32_t> ByTiles(const Operands& operands) {
  std::vector<int32_t> sums = operands.sums;
  Tiles::Configure();
  Tiles::template Load<3>(sums.data(), kStride);
  Tiles::template Load<5>(operands.values.data(), kStride);
  Tiles::template Load<6>(operands.weights.data(), kStride);
  Tiles::template MultiplyAdd<3, 5, 6>();
  Tiles::template Store<3>(sums.data(), kStride);
  Tiles::Release();
  return sums;
}

template <typename Tiles>
void ExpectPlainLoops() {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    const Operands operands = RandomOperands(random);
    ASSERT_EQ(ByTiles<Tiles>(operands), ByLoops(operands)) << i;
  }
}

TEST(EmulatedTilesTest, ProductsAreThePlainLoops) { ExpectPlainLoops<EmulatedTiles>(); }

TEST(AmxTilesTest, ProductsAreThePlainLoops) {
  if (!IsSupported(Isa::kAmx)) {
    GTEST_SKIP() << "this CPU has no AMX";
  }
  ExpectPlainLoops<AmxTiles>();
}

// Expects that a stride of 0 gives the same row 16 times.
template <typename Tiles>
void ExpectRowsAlike() {
  std::vector<int32_t> row(16), rows(16 * 16);
  for (int32_t i = 0; i < 16; ++i) {
    row[i] = i - 7;
  }
  Tiles::Configure();
  Tiles::template Load<0>(row.data(), 0);
  Tiles::template Store<0>(rows.data(), 64);
  Tiles::Release();
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i], row[i % 16]);
  }
}

TEST(EmulatedTilesTest, AStrideOfNoneRepeatsARow) { ExpectRowsAlike<EmulatedTiles>(); }

TEST(AmxTilesTest, AStrideOfNoneRepeatsARow) {
  if (!IsSupported(Isa::kAmx)) {
    GTEST_SKIP() << "this CPU has no AMX";
  }
  ExpectRowsAlike<AmxTiles>();
}

TEST(EmulatedTilesDeathTest, EndsWhereTheCpuWould) {
  uint8_t bytes[kBytes] = {};
  EXPECT_DEATH(EmulatedTiles::Load<0>(bytes, 64), "before a configuration was loaded");
  TileConfiguration configuration;
  configuration.rows[2] = 17;
  EXPECT_DEATH(EmulatedTiles::Configure(configuration), "16 rows of 64 bytes");
  configuration = {};
  configuration.palette = 2;
  EXPECT_DEATH(EmulatedTiles::Configure(configuration), "palette 1");
  configuration = {};
  configuration.rows[3] = configuration.row_bytes[3] = 0;
  configuration.row_bytes[4] = 32;
  EmulatedTiles::Configure(configuration);
  EXPECT_DEATH(EmulatedTiles::Load<3>(bytes, 64), "leaves out");
  EXPECT_DEATH((EmulatedTiles::MultiplyAdd<0, 4, 6>()), "shapes do not fit");
  EXPECT_DEATH((EmulatedTiles::MultiplyAdd<0, 0, 6>()), "are not three");
  EmulatedTiles::Release();
  EXPECT_DEATH(EmulatedTiles::Load<0>(bytes, 64), "before a configuration was loaded");
}

}  // namespace
}  // namespace lockstep
