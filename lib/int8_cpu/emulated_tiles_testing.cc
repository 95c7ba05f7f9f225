#include "lib/int8_cpu/emulated_tiles_testing.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "lib/int8_cpu/amx_kernels.h"

namespace lockstep::testing {
namespace {

constexpr int kTiles = 8;
constexpr size_t kRows = 16, kRowBytes = 64;

struct Register {
  size_t rows = 0, row_bytes = 0;  // configured size; 0: not configured
  uint8_t bytes[kRows][kRowBytes] = {};
};

struct Unit {
  bool is_configured = false;
  std::array<Register, kTiles> tiles;
};

thread_local Unit unit;
std::atomic<size_t> products{0};

void Require(bool condition, const char* what) {
  if (!condition) {
    std::fprintf(stderr, "emulated tiles: %s\n", what);
    std::abort();
  }
}

Register& Configured(int tile) {
  Require(unit.is_configured, "tiles are used before a configuration was loaded");
  Require(tile >= 0 && tile < kTiles, "palette 1 has 8 tiles");
  Require(unit.tiles[tile].rows != 0, "a tile is used that the configuration leaves out");
  return unit.tiles[tile];
}

}  // namespace

void EmulatedTiles::Configure(const TileConfiguration& configuration) {
  Require(configuration.palette == 1, "only palette 1 is known");  // 0 would be a release
  Require(configuration.start_row == 0, "a configuration begins in the middle of an instruction");
  for (const uint8_t byte : configuration.reserved) {
    Require(byte == 0, "a reserved byte is not 0");
  }
  unit = {};
  unit.is_configured = true;
  for (int t = 0; t < 16; ++t) {
    const size_t rows = configuration.rows[t], row_bytes = configuration.row_bytes[t];
    Require(t < kTiles || (rows == 0 && row_bytes == 0), "palette 1 has 8 tiles");
    Require((rows == 0) == (row_bytes == 0), "a tile has rows without bytes, or bytes without rows");
    Require(rows <= kRows && row_bytes <= kRowBytes, "palette 1 has 16 rows of 64 bytes");
    if (t < kTiles) {
      unit.tiles[t].rows = rows;
      unit.tiles[t].row_bytes = row_bytes;
    }
  }
}

void EmulatedTiles::Release() { unit = {}; }

void EmulatedTiles::Load(int tile, const void* rows, size_t stride) {
  Register& to = Configured(tile);
  std::memset(to.bytes, 0, sizeof(to.bytes));
  for (size_t row = 0; row < to.rows; ++row) {
    std::memcpy(to.bytes[row], static_cast<const uint8_t*>(rows) + row * stride, to.row_bytes);
  }
}

void EmulatedTiles::Store(int tile, void* rows, size_t stride) {
  const Register& from = Configured(tile);
  for (size_t row = 0; row < from.rows; ++row) {
    std::memcpy(static_cast<uint8_t*>(rows) + row * stride, from.bytes[row], from.row_bytes);
  }
}

void EmulatedTiles::MultiplyAdd(int sums, int values, int weights) {
  Require(sums != values && values != weights && sums != weights, "a product's tiles are not three");
  Register& c = Configured(sums);
  const Register &a = Configured(values), &b = Configured(weights);
  Require(c.row_bytes % 4 == 0 && a.row_bytes % 4 == 0, "a row holds no whole number of int32");
  Require(c.rows == a.rows && a.row_bytes / 4 == b.rows && b.row_bytes == c.row_bytes, "a product's shapes do not fit");
  ++products;
  for (size_t m = 0; m < c.rows; ++m) {
    uint32_t row[kRowBytes / 4];
    std::memcpy(row, c.bytes[m], sizeof(row));
    for (size_t k = 0; k < b.rows; ++k) {
      for (size_t n = 0; n < c.row_bytes / 4; ++n) {
        int32_t sum = 0;
        for (size_t i = 0; i < 4; ++i) {
          sum += int32_t{a.bytes[m][4 * k + i]} * static_cast<int8_t>(b.bytes[k][4 * n + i]);
        }
        row[n] += static_cast<uint32_t>(sum);
      }
    }
    std::memcpy(c.bytes[m], row, sizeof(row));
  }
}

bool EmulatedTiles::IsConfigured() { return unit.is_configured; }

size_t EmulatedTiles::Products() { return products; }

const TileKernels& EmulatedAmxTileKernels() {
  static const TileKernels kernels = amx::Kernels<EmulatedTiles>();
  return kernels;
}

}  // namespace lockstep::testing
