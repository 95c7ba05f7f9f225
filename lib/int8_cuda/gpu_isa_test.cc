#include "lib/int8_cuda/gpu_isa.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(GpuIsaTest, NamesAreReadBack) {
  for (const GpuIsa isa : {GpuIsa::kDp4a, GpuIsa::kMma, GpuIsa::kWgmma}) {
    const auto parsed = ParseGpuIsa(GpuIsaName(isa));
    ASSERT_THAT(parsed, IsOk());
    EXPECT_EQ(*parsed, isa);
  }
  EXPECT_THAT(ParseGpuIsa("avx2"),
              StatusIs(absl::StatusCode::kInvalidArgument, AllOf(HasSubstr("'avx2'"), HasSubstr("dp4a, mma, wgmma"))));
}

TEST(GpuIsaTest, AGenerationHasItsInstructions) {
  EXPECT_THAT(SupportedGpuIsas({7, 0}), IsEmpty());
  EXPECT_THAT(SupportedGpuIsas({7, 5}), ElementsAre(GpuIsa::kDp4a));
  EXPECT_THAT(SupportedGpuIsas({8, 0}), ElementsAre(GpuIsa::kDp4a, GpuIsa::kMma));
  EXPECT_THAT(SupportedGpuIsas({8, 9}), ElementsAre(GpuIsa::kDp4a, GpuIsa::kMma));
  EXPECT_THAT(SupportedGpuIsas({9, 0}), ElementsAre(GpuIsa::kDp4a, GpuIsa::kMma, GpuIsa::kWgmma));
  EXPECT_THAT(SupportedGpuIsas({10, 0}), ElementsAre(GpuIsa::kDp4a, GpuIsa::kMma));
  EXPECT_THAT(SupportedGpuIsas({12, 0}), ElementsAre(GpuIsa::kDp4a, GpuIsa::kMma));
}

TEST(GpuIsaTest, TheBestIsSupported) {
  const auto best = BestGpuIsa();
  if (!best.ok()) {
    EXPECT_THAT(best, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("GPU")));
    EXPECT_THAT(CheckGpuIsa(GpuIsa::kDp4a), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("GPU")));
    return;
  }
  EXPECT_THAT(CheckGpuIsa(*best), IsOk());
  EXPECT_THAT(CheckGpuIsa(GpuIsa::kDp4a), IsOk());
}

}  // namespace
}  // namespace lockstep
