// AMX on the CPU's own tiles.
#include "lib/int8_cpu/amx_kernels.h"
#include "lib/int8_cpu/amx_tiles.h"

namespace lockstep {

const TileKernels& AmxTileKernels() {
  static const TileKernels kernels = amx::Kernels<AmxTiles>();
  return kernels;
}

}  // namespace lockstep
