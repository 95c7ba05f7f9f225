// CPUs for which only the portable kernels exist.
#include "lib/int8_cpu/isa.h"

namespace lockstep {

bool IsSupported(Isa isa) { return isa == Isa::kPortable; }

}  // namespace lockstep
