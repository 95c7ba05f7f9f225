// Detects the instruction sets of an x86-64 CPU.
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "lib/int8_cpu/isa.h"

namespace lockstep {
namespace {

// Bits of CPUID and of XCR0: Intel's Software Developer's Manual, volume 2A (CPUID) and volume 1, section 13.3.
constexpr uint32_t kFma = 1u << 12, kOsXsave = 1u << 27;                                                 // 1, ECX
constexpr uint32_t kAvx2Bit = 1u << 5, kAvx512F = 1u << 16, kAvx512Bw = 1u << 30, kAvx512Vl = 1u << 31;  // 7.0, EBX
constexpr uint32_t kAvx512VnniBit = 1u << 11;                                                            // 7.0, ECX
constexpr uint32_t kAvxVnniBit = 1u << 4;                                                                // 7.1, EAX
constexpr uint32_t kAmxTile = 1u << 24, kAmxInt8 = 1u << 25;                                             // 7.0, EDX
constexpr uint32_t kTileLeaf = 0x1D, kTilePalette = 1;  // EAX: bytes of a tile << 16; EBX: tiles << 16 | bytes of a row
constexpr uint64_t kYmmState = 0x06, kZmmState = 0xE6, kTileState = 0x60000;  // XCR0

// Linux, Documentation/arch/x86/xstate.rst: a process must request the state of tiles.
constexpr int64_t kRequestStatePermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
constexpr int64_t kTileDataState = 18;               // XFEATURE_XTILEDATA

struct Registers {
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

// Returns zeros if the CPU has no such leaf.
Registers CpuId(uint32_t leaf, uint32_t subleaf) {
  Registers r;
  if (__get_cpuid_count(leaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx) == 0) {
    return {};
  }
  return r;
}

// Returns the register states that the operating system saves.
uint64_t EnabledState() {
  if ((CpuId(1, 0).ecx & kOsXsave) == 0) {
    return 0;
  }
  uint32_t low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}

template <typename Bits>
bool HasAll(Bits value, Bits wanted) {
  return (value & wanted) == wanted;
}

bool HasAvx2() {
  return HasAll(EnabledState(), kYmmState) && HasAll(CpuId(1, 0).ecx, kFma) && HasAll(CpuId(7, 0).ebx, kAvx2Bit);
}

bool HasAvx512Vnni() {
  return HasAvx2() && HasAll(EnabledState(), kZmmState) && HasAll(CpuId(7, 0).ebx, kAvx512F | kAvx512Bw | kAvx512Vl) &&
         HasAll(CpuId(7, 0).ecx, kAvx512VnniBit);
}

// Returns true if the CPU has eight tiles of 16 rows of 64 bytes.
bool HasTilesOf16x64() {
  if (!HasAll(CpuId(7, 0).edx, kAmxTile | kAmxInt8)) {
    return false;
  }
  const Registers palette = CpuId(kTileLeaf, kTilePalette);
  return palette.eax >> 16 == 1024 && palette.ebx >> 16 == 8 && (palette.ebx & 0xFFFF) == 64 &&
         (palette.ecx & 0xFFFF) == 16;
}

bool HasAmx() {
  static const bool may_use_tiles = HasTilesOf16x64() && HasAll(EnabledState(), kTileState) &&
                                    syscall(SYS_arch_prctl, kRequestStatePermission, kTileDataState) == 0;
  return may_use_tiles && HasAvx512Vnni();
}

}  // namespace

bool IsSupported(Isa isa) {
  switch (isa) {
    case Isa::kPortable:
      return true;
    case Isa::kAvx2:
      return HasAvx2();
    case Isa::kAvxVnni:
      return HasAvx2() && HasAll(CpuId(7, 1).eax, kAvxVnniBit);
    case Isa::kAvx512Vnni:
      return HasAvx512Vnni();
    case Isa::kAmx:
      return HasAmx();
    case Isa::kDotProd:
    case Isa::kI8mm:
      break;
  }
  return false;
}

}  // namespace lockstep
