#include "lib/networks/near_chance_text.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

proto::QuantizedNetwork Network(uint32_t correct, proto::QuantizeStage stage) {
  proto::QuantizedNetwork network;
  proto::AccuracyStep& absent = *network.add_step();
  absent.set_stage(proto::FP32_NETWORK);
  absent.set_absent_reason("imported");
  proto::AccuracyStep& step = *network.add_step();
  step.set_stage(stage);
  step.set_correct(correct);
  step.set_images(1000);
  return network;
}

TEST(NearChanceTextTest, ANetworkThatHasNotLearnedIsReported) {
  proto::QuantizedNetwork network = Network(98, proto::FP32_NETWORK);
  network.mutable_step()->DeleteSubrange(0, 1);
  EXPECT_EQ(NearChanceText(network),
            "9.80 % of the test images are right in fp32, and by chance 10 %: these accuracies do not show what int8 "
            "costs. Train the network longer, or check the normalization of its images");
}

TEST(NearChanceTextTest, AnImportedNetworkHasItsOnlyStage) {
  EXPECT_EQ(NearChanceText(Network(199, proto::INT8_WEIGHTS_ACTIVATIONS_BIAS))
                .rfind("19.90 % of the test images are "
                       "right, and by chance 10 %",
                       0),
            0u);
}

TEST(NearChanceTextTest, TwiceAsGoodAsChanceIsEnough) {
  EXPECT_EQ(NearChanceText(Network(200, proto::INT8_WEIGHTS_ACTIVATIONS_BIAS)), "");
  EXPECT_EQ(NearChanceText({}), "");
}

}  // namespace
}  // namespace lockstep
