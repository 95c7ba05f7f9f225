#include "lib/nn/zero_gamma.h"

#include <ATen/ops/equal.h>

#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

// Two blocks in each of four stages have weights of 0; all other weights are unchanged.
TEST(ZeroGammaTest, TheLastBatchNormOfEachBlockStartsAtZero) {
  const std::shared_ptr<Model> model = *MakeModel("resnet18", 1), plain = *MakeModel("resnet18", 1);
  EXPECT_TRUE(model->named_parameters()["layer3.1.bn2.weight"].eq(1).all().item<bool>());
  ASSERT_THAT(SetZeroGamma(*model), IsOk());
  int zero = 0;
  for (const auto& parameter : model->named_parameters()) {
    const bool changed = !at::equal(parameter.value(), plain->named_parameters()[parameter.key()]);
    EXPECT_EQ(changed, parameter.key().find(".bn2.weight") != std::string::npos) << parameter.key();
    EXPECT_TRUE(!changed || parameter.value().eq(0).all().item<bool>()) << parameter.key();
    zero += changed ? 1 : 0;
  }
  EXPECT_EQ(zero, 8);
}

TEST(ZeroGammaTest, RefusesNetworksWithoutResidualBlocks) {
  EXPECT_THAT(CheckZeroGamma("resnet18"), IsOk());
  EXPECT_THAT(CheckZeroGamma("lenet5"), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("lenet5 has none")));
  EXPECT_THAT(SetZeroGamma(**MakeModel("lenet5", 1)),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("residual blocks")));
}

}  // namespace
}  // namespace lockstep
