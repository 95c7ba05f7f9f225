#include "lib/int8_cpu/tile_kernels.h"

namespace lockstep {

const TileKernels& TileKernelsFor(Isa isa) {
  switch (isa) {
    case Isa::kDotProd:
      return DotProdTileKernels();
    case Isa::kI8mm:
      return I8mmTileKernels();
    case Isa::kPortable:
    case Isa::kAvx2:
    case Isa::kAvxVnni:
    case Isa::kAvx512Vnni:
    case Isa::kAmx:
      break;
  }
  return PortableTileKernels();
}

}  // namespace lockstep
