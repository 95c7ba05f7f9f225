// The instruction sets that int8 kernels are written for, and which of them this CPU has.
#ifndef LOCKSTEP_LIB_INT8_CPU_ISA_H_
#define LOCKSTEP_LIB_INT8_CPU_ISA_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// From the slowest to the fastest where a CPU has several.
enum class Isa {
  kPortable,    // plain C++
  kAvx2,        // vpmaddwd on int16: exact, unlike vpmaddubsw, which saturates
  kAvxVnni,     // vpdpbusd on 256 bits
  kAvx512Vnni,  // vpdpbusd on 512 bits
  kAmx,         // tdpbusd on tiles of 16 x 64 bytes, AVX-512 for all else
  kDotProd,     // Arm: sdot, of the dot product extension
  kI8mm,        // Arm: usmmla, of the int8 matrix extension
};

// "portable"; of x86-64 "avx2", "avxvnni", "avx512vnni", "amx"; of 64-bit Arm "dotprod", "i8mm".
absl::string_view IsaName(Isa isa);

// InvalidArgument lists the names.
absl::StatusOr<Isa> ParseIsa(absl::string_view name);

// What this CPU has and its operating system keeps the registers of; kPortable is always among them. The first question
// about kAmx asks Linux to let this process use tiles, which holds for all its threads. Where it refuses, kAmx is not
// there. From then on a signal's stack must have room for 8 KiB of tiles; Linux refuses one that is too small.
bool IsSupported(Isa isa);
std::vector<Isa> SupportedIsas();
Isa BestIsa();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CPU_ISA_H_
