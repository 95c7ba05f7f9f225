#include "lib/fused/fold_batch_norms.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

// Variances of 4 - 2^-10 and 16 - 2^-10 with an epsilon of 2^-10 have standard deviations of 2 and 4.
TEST(FoldBatchNormsTest, TwoChannelsByHand) {
  ResNetUnits net;
  net.channel_count = 2;
  net.classes = 3;
  constexpr float kEpsilon = 1.0f / 1024;
  const std::vector<float> batch_norms = {3, -2, 0.5, 1, 7, 8, 9};  // gammas, betas, and the classifier's biases
  const std::vector<float> running = {10, -1, 4 - kEpsilon, 16 - kEpsilon};
  EXPECT_EQ(FoldBatchNorms(net, batch_norms, running, kEpsilon), std::vector<float>({1.5, -0.5, -14.5, 0.5}));
}

// A new network has gamma 1, beta 0, mean 0 and variance 1.
TEST(FoldBatchNormsTest, ANewNetworkIsScaledByEpsilonOnly) {
  const ResNetUnits net = MakeResNetUnits();
  std::vector<float> batch_norms(net.batch_norm_count()), running(2 * net.channel_count);
  for (size_t c = 0; c < net.channel_count; ++c) {
    batch_norms[c] = running[net.channel_count + c] = 1;
  }
  const std::vector<float> folded = FoldBatchNorms(net, batch_norms, running, 1e-5f);
  ASSERT_EQ(folded.size(), 2 * 4800);  // 64 + 4 * 64 + 5 * (128 + 256 + 512) channels
  EXPECT_EQ(folded.front(), 0.999995f);
  EXPECT_EQ(folded[4799], 0.999995f);
  EXPECT_EQ(folded[4800], 0);
  EXPECT_EQ(folded.back(), 0);
}

}  // namespace
}  // namespace lockstep
