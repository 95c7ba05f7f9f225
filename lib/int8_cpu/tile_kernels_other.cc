#include "lib/int8_cpu/tile_kernels.h"

namespace lockstep {

const TileKernels& TileKernelsFor(Isa) { return PortableTileKernels(); }

}  // namespace lockstep
