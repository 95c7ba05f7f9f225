// EmulatedTiles: tile registers in plain C++, so that the kernels for AMX are tested on CPUs without AMX. Test-only.
//
// Follows the pseudocode of LDTILECFG, TILELOADD, TILESTORED, TDPBUSD and TILERELEASE in volume 2 of Intel's Software
// Developer's Manual. Where the pseudocode raises #UD or #GP, the program is aborted.
#ifndef LOCKSTEP_LIB_INT8_CPU_EMULATED_TILES_TESTING_H_
#define LOCKSTEP_LIB_INT8_CPU_EMULATED_TILES_TESTING_H_

#include <cstddef>

#include "lib/int8_cpu/amx_tiles.h"
#include "lib/int8_cpu/tile_kernels.h"

namespace lockstep::testing {

// Same interface as AmxTiles; each thread has its own registers.
class EmulatedTiles {
 public:
  static void Configure() { Configure(TileConfiguration()); }
  static void Configure(const TileConfiguration& configuration);
  static void Release();

  template <int kTile>
  static void Load(const void* rows, size_t stride) {
    Load(kTile, rows, stride);
  }
  template <int kTile>
  static void Store(void* rows, size_t stride) {
    Store(kTile, rows, stride);
  }
  template <int kSums, int kValues, int kWeights>
  static void MultiplyAdd() {
    MultiplyAdd(kSums, kValues, kWeights);
  }

  // Returns true if this thread has a configuration.
  static bool IsConfigured();
  // Returns the number of calls of MultiplyAdd() by all threads so far.
  static size_t Products();

 private:
  static void Load(int tile, const void* rows, size_t stride);
  static void Store(int tile, void* rows, size_t stride);
  static void MultiplyAdd(int sums, int values, int weights);
};

// Returns the kernels of AmxTileKernels() on emulated tiles. AVX-512 VNNI must be supported, because it does everything
// except the multiplication.
const TileKernels& EmulatedAmxTileKernels();

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_INT8_CPU_EMULATED_TILES_TESTING_H_
