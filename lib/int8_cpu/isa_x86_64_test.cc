#include "gtest/gtest.h"
#include "lib/int8_cpu/isa.h"

namespace lockstep {
namespace {

// Compares with GCC's own detection, for the names that GCC knows.
TEST(IsaX8664Test, IsWhatTheCompilersLibraryFinds) {
  EXPECT_EQ(IsSupported(Isa::kAvx2), __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
  EXPECT_EQ(IsSupported(Isa::kAvx512Vnni), __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw") &&
                                               __builtin_cpu_supports("avx512vl"));
}

TEST(IsaX8664Test, HasNoInstructionsOfArm) {
  EXPECT_FALSE(IsSupported(Isa::kDotProd));
  EXPECT_FALSE(IsSupported(Isa::kI8mm));
}

}  // namespace
}  // namespace lockstep
