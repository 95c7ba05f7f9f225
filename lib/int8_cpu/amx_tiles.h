// AmxTiles: the eight tile registers of Intel AMX, each 16 rows of 64 bytes: Intel's Software Developer's Manual,
// volume 1, chapter 18, and volume 2. Inline assembly is used instead of <immintrin.h>, because GCC 12 may move the
// tile loads of the latter before the stores that they read, and because the intrinsics need literals for registers.
//
// Tiles belong to a thread, from Configure() to Release(). In between only code of this package runs, and no tile keeps
// a value across a call, because other code may use and release tiles. A signal may arrive in between: Linux saves the
// tiles in the signal's frame, and the handler starts without tiles. A new thread starts without tiles, too: its first
// Configure() or Load() traps once, and Linux then allocates room to save them. After Release(), Linux need not save
// tiles at context switches.
#ifndef LOCKSTEP_LIB_INT8_CPU_AMX_TILES_H_
#define LOCKSTEP_LIB_INT8_CPU_AMX_TILES_H_

#include <cstddef>
#include <cstdint>

namespace lockstep {

// Operand of ldtilecfg.
struct alignas(64) TileConfiguration {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
static_assert(sizeof(TileConfiguration) == 64, "the layout of ldtilecfg");

// Tile registers of the CPU. Isa::kAmx must be supported.
class AmxTiles {
 public:
  static void Configure() {
    static constexpr TileConfiguration kConfiguration;
    __asm__ volatile("ldtilecfg %0" ::"m"(kConfiguration));
  }

  static void Release() { __asm__ volatile("tilerelease"); }

  // Loads 16 rows, `stride` bytes apart.
  template <int kTile>
  [[gnu::always_inline]] static void Load(const void* rows, size_t stride) {
    __asm__ volatile("tileloadd (%0,%1,1), %%tmm%c2" ::"r"(rows), "r"(stride), "i"(kTile) : "memory");
  }

  template <int kTile>
  [[gnu::always_inline]] static void Store(void* rows, size_t stride) {
    __asm__ volatile("tilestored %%tmm%c2, (%0,%1,1)" ::"r"(rows), "r"(stride), "i"(kTile) : "memory");
  }

  // Adds to sums[m][n] the products values[m][4 * k + i] * weights[k][4 * n + i] over all k and i: uint8 times int8, in
  // int32 with wrap-around.
  template <int kSums, int kValues, int kWeights>
  [[gnu::always_inline]] static void MultiplyAdd() {
    __asm__ volatile("tdpbusd %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(kSums), "i"(kValues), "i"(kWeights));
  }
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CPU_AMX_TILES_H_
