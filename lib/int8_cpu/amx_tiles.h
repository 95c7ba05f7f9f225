// The eight tile registers of Intel AMX, each 16 rows of 64 bytes: Intel's Software Developer's Manual, volume 1, chapter
// 18, and volume 2. Assembly of its own instead of <immintrin.h>, whose tile loads GCC 12 may move before the stores that
// they read, and which want literals for registers.
//
// Tiles belong to a thread, from Configure() to Release(). Between the two runs only code of this package, and no tile
// holds anything across a call: other code may use tiles and release them. A signal may come in between: Linux saves the
// tiles in its frame, and the handler starts without any. A new thread starts without any, too; its first Configure() or
// Load() traps once, and Linux then gives it room to save them. Release() spares Linux that work at later switches.
#ifndef LOCKSTEP_LIB_INT8_CPU_AMX_TILES_H_
#define LOCKSTEP_LIB_INT8_CPU_AMX_TILES_H_

#include <cstddef>
#include <cstdint>

namespace lockstep {

// What ldtilecfg reads.
struct alignas(64) TileConfiguration {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
static_assert(sizeof(TileConfiguration) == 64, "as ldtilecfg has it");

// `Isa::kAmx` must be supported.
class AmxTiles {
 public:
  static void Configure() {
    static constexpr TileConfiguration kConfiguration;
    __asm__ volatile("ldtilecfg %0" ::"m"(kConfiguration));
  }

  static void Release() { __asm__ volatile("tilerelease"); }

  // 16 rows, `stride` bytes from one to the next.
  template <int kTile>
  [[gnu::always_inline]] static void Load(const void* rows, size_t stride) {
    __asm__ volatile("tileloadd (%0,%1,1), %%tmm%c2" ::"r"(rows), "r"(stride), "i"(kTile) : "memory");
  }

  template <int kTile>
  [[gnu::always_inline]] static void Store(void* rows, size_t stride) {
    __asm__ volatile("tilestored %%tmm%c2, (%0,%1,1)" ::"r"(rows), "r"(stride), "i"(kTile) : "memory");
  }

  // sums[m][n] += values[m][4 * k + i] * weights[k][4 * n + i], over all k and i; uint8 times int8, and int32 that wraps.
  template <int kSums, int kValues, int kWeights>
  [[gnu::always_inline]] static void MultiplyAdd() {
    __asm__ volatile("tdpbusd %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(kSums), "i"(kValues), "i"(kWeights));
  }
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CPU_AMX_TILES_H_
