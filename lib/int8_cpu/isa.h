// Isa: the instruction sets for which int8 kernels are written, and their detection on this CPU.
#ifndef LOCKSTEP_LIB_INT8_CPU_ISA_H_
#define LOCKSTEP_LIB_INT8_CPU_ISA_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// In order of speed on a CPU that has several, the slowest first.
enum class Isa {
  kPortable,    // plain C++
  kAvx2,        // vpmaddwd on int16: exact, unlike vpmaddubsw, which saturates
  kAvxVnni,     // vpdpbusd on 256 bits
  kAvx512Vnni,  // vpdpbusd on 512 bits
  kAmx,         // tdpbusd on tiles of 16 x 64 bytes, AVX-512 for everything else
  kDotProd,     // Arm: sdot of the dot product extension
  kI8mm,        // Arm: usmmla of the int8 matrix extension
};

// Returns "portable"; for x86-64 "avx2", "avxvnni", "avx512vnni", "amx"; for 64-bit Arm "dotprod", "i8mm".
absl::string_view IsaName(Isa isa);

// Returns InvalidArgumentError, which lists the names, for an unknown name.
absl::StatusOr<Isa> ParseIsa(absl::string_view name);

// Returns true if this CPU has the instructions and its operating system saves their registers; always true for
// kPortable. The first query for kAmx asks Linux for permission to use tiles, which is valid for all threads of this
// process. If Linux refuses, kAmx is not supported. After the permission, a signal stack must have room for 8 KiB of
// tiles; Linux refuses a smaller one.
bool IsSupported(Isa isa);
std::vector<Isa> SupportedIsas();
Isa BestIsa();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CPU_ISA_H_
