// Tests of quantize with LibTorch on a GPU: fp32 networks without TF32; fine-tuning with the CPU's integers,
// repeatable.
#include <cmath>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "lib/dataset/normalization.h"
#include "lib/dataset/small_dataset_testing.h"
#include "lib/device/device.h"
#include "lib/int8/random_network_testing.h"
#include "lib/int8/replay.h"
#include "lib/quantize/quantize_network.h"
#include "lib/quantize/torch_forward.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::Biases;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::RandomNetwork;
using ::lockstep::testing::RandomValues;
using ::lockstep::testing::SmallDataset;
using ::lockstep::testing::SmallResidualLayers;

class FineTuneCudaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!ResolveDevice("cuda").ok()) {
      GTEST_SKIP() << "no CUDA device";
    }
    ASSERT_THAT(SetNumerics({.deterministic = true}), IsOk());
  }

  const c10::Device cpu_{c10::kCPU};
  const c10::Device gpu_{c10::kCUDA, 0};
};

// Two sums of 27 products below 1 in fp32, in any order, differ by at most 2 * 1.01 * 28 * 2^-24 * 27 = 9.1e-5
// (torch_forward_test.cc); in TF32 each factor alone would be off by up to 2^-11.
TEST_F(FineTuneCudaTest, ConvolutionsAreFp32s) {
  std::mt19937 random(3);
  FloatNetwork network;
  FloatLayer layer;
  layer.shape = ConvShape("conv", 0, {32, 32, 3}, 8, 3);
  layer.weight = RandomValues(random, layer.shape.WeightSize(), 1);
  network.layers = {layer};
  const std::vector<float> images = RandomValues(random, 4 * layer.shape.In().Size(), 1);
  const auto here = TorchForward::Make(network, cpu_), there = TorchForward::Make(network, gpu_);
  ASSERT_THAT(there, IsOk());
  const auto expected = (*here)->Run(images, 4), found = (*there)->Run(images, 4);
  ASSERT_THAT(found, IsOk());
  ASSERT_EQ(found->size(), expected->size());
  for (size_t i = 0; i < expected->size(); ++i) {
    ASSERT_NEAR((*found)[i], (*expected)[i], 9.1e-5) << i;
  }
}

TEST_F(FineTuneCudaTest, FineTunesWithTheIntegersOfTheCpuAndRepeatably) {
  for (const auto& layers : {LeNet5Layers(), SmallResidualLayers()}) {
    const FloatNetwork network = RandomNetwork(layers, Biases::kRandom, 1);
    proto::QuantizeSpec spec;
    spec.set_weight_range(proto::MAX_ABS);
    spec.set_activation_range(proto::MIN_MAX);
    spec.set_per_channel(true);
    spec.set_zero_points(true);
    spec.set_calibration_images(20);
    spec.set_fine_tune_epochs(2);
    spec.set_fine_tune_batch(8);
    spec.set_fine_tune_learning_rate(0.05);
    const Dataset dataset = SmallDataset(30, 50);
    const proto::Normalization normalization = *CompleteNormalization({}, dataset.train.info);
    auto first = QuantizeNetwork(network, dataset, normalization, spec, MakePlainRunner, gpu_);
    auto again = QuantizeNetwork(network, dataset, normalization, spec, MakePlainRunner, gpu_);
    ASSERT_THAT(first, IsOk());
    EXPECT_EQ(first->fine_tuning().compared_logits(), 20u * 10);
    EXPECT_EQ(first->fine_tuning().different_logits(), 0u);
    EXPECT_THAT(Replay(*first), IsOk());
    first->mutable_fine_tuning()->clear_seconds();
    again->mutable_fine_tuning()->clear_seconds();
    EXPECT_EQ(first->SerializeAsString(), again->SerializeAsString());

    const auto here = QuantizeNetwork(network, dataset, normalization, spec, MakePlainRunner, cpu_);
    ASSERT_THAT(here, IsOk());
    EXPECT_NEAR(first->fine_tuning().epoch_loss(0), here->fine_tuning().epoch_loss(0), 0.01);
  }
}

}  // namespace
}  // namespace lockstep
