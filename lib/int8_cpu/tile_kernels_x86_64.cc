#include "lib/int8_cpu/tile_kernels.h"

namespace lockstep {

const TileKernels& TileKernelsFor(Isa isa) {
  switch (isa) {
    case Isa::kAvx2:
      return Avx2TileKernels();
    case Isa::kAvxVnni:
      return AvxVnniTileKernels();
    case Isa::kAvx512Vnni:
      return Avx512VnniTileKernels();
    case Isa::kAmx:
      return AmxTileKernels();
    case Isa::kPortable:
    case Isa::kDotProd:
    case Isa::kI8mm:
      break;
  }
  return PortableTileKernels();
}

}  // namespace lockstep
