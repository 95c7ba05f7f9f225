#include <asm/hwcap.h>
#include <sys/auxv.h>

#include <cstdint>

#include "gtest/gtest.h"
#include "lib/int8_cpu/isa.h"

namespace lockstep {
namespace {

// Returns four bits of an identification register: Arm Architecture Reference Manual, ID_AA64ISAR0_EL1 and
// ID_AA64ISAR1_EL1.
uint64_t Field(uint64_t identification, int lowest_bit) { return identification >> lowest_bit & 0xF; }

// Compares with the CPU's own registers, which Linux lets a program read.
TEST(IsaAarch64Test, IsReadFromTheCpusRegisters) {
  if ((getauxval(AT_HWCAP) & HWCAP_CPUID) == 0) {
    GTEST_SKIP() << "this kernel does not let programs read the identification registers";
  }
  uint64_t isar0 = 0, isar1 = 0;
  __asm__("mrs %0, ID_AA64ISAR0_EL1" : "=r"(isar0));
  __asm__("mrs %0, ID_AA64ISAR1_EL1" : "=r"(isar1));
  const bool has_dot_product = Field(isar0, 44) >= 1, has_i8mm = Field(isar1, 52) >= 1;
  EXPECT_EQ(IsSupported(Isa::kDotProd), has_dot_product);
  EXPECT_EQ(IsSupported(Isa::kI8mm), has_dot_product && has_i8mm);
}

TEST(IsaAarch64Test, HasNoInstructionsOfX8664) {
  for (const Isa isa : {Isa::kAvx2, Isa::kAvxVnni, Isa::kAvx512Vnni, Isa::kAmx}) {
    EXPECT_FALSE(IsSupported(isa)) << IsaName(isa);
  }
}

}  // namespace
}  // namespace lockstep
