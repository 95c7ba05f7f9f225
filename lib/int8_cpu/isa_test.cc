#include "lib/int8_cpu/isa.h"

#include <algorithm>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::StatusIs;
using ::testing::Contains;
using ::testing::HasSubstr;

TEST(IsaTest, EachNameIsItsOwn) {
  for (const Isa isa :
       {Isa::kPortable, Isa::kAvx2, Isa::kAvxVnni, Isa::kAvx512Vnni, Isa::kAmx, Isa::kDotProd, Isa::kI8mm}) {
    const auto parsed = ParseIsa(IsaName(isa));
    ASSERT_TRUE(parsed.ok()) << IsaName(isa);
    EXPECT_EQ(*parsed, isa);
  }
  EXPECT_THAT(ParseIsa("sse9"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("'sse9', expected portable, avx2, avxvnni, avx512vnni, amx, dotprod, i8mm")));
}

TEST(IsaTest, PlainCodeRunsEverywhereAndTheBestIsTheLast) {
  const std::vector<Isa> supported = SupportedIsas();
  EXPECT_THAT(supported, Contains(Isa::kPortable));
  EXPECT_TRUE(std::is_sorted(supported.begin(), supported.end()));
  EXPECT_EQ(BestIsa(), supported.back());
}

}  // namespace
}  // namespace lockstep
