// CPUs for which no kernels but the plain ones are written.
#include "lib/int8_cpu/isa.h"

namespace lockstep {

bool IsSupported(Isa isa) { return isa == Isa::kPortable; }

}  // namespace lockstep
