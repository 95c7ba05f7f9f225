// Detects the instruction sets of a 64-bit Arm CPU, by Linux: Documentation/arch/arm64/elf_hwcaps.rst.
#include <asm/hwcap.h>
#include <sys/auxv.h>

#include "lib/int8_cpu/isa.h"

namespace lockstep {
namespace {

bool HasDotProd() { return (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0; }

}  // namespace

bool IsSupported(Isa isa) {
  switch (isa) {
    case Isa::kPortable:
      return true;
    case Isa::kDotProd:
      return HasDotProd();
    case Isa::kI8mm:
      return HasDotProd() && (getauxval(AT_HWCAP2) & HWCAP2_I8MM) != 0;
    case Isa::kAvx2:
    case Isa::kAvxVnni:
    case Isa::kAvx512Vnni:
    case Isa::kAmx:
      break;
  }
  return false;
}

}  // namespace lockstep
