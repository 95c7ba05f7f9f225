#include "lib/nn/activation_bytes.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

// Elements that are kept per image in fp32:
//   614,400   outputs of the 20 convolutions, kept by batch norm
//   557,056   outputs of the 17 ReLUs, kept by the next convolutions (lib/fused/resnet_units_test counts both)
//       512   pooled numbers
//        10   log-probabilities
//     3,072   the image itself, and its label
constexpr uint64_t kElements = 614'400 + 557'056;
constexpr uint64_t kInput = 3072 * 4 + 8;

TEST(ActivationBytesTest, ResNet18KeepsWhatConvolutionsAndReLUsGive) {
  const ActivationBytes bytes = CountActivationBytes(**MakeModel("resnet18", 1), AutocastMode::kOff);
  EXPECT_GE(bytes.per_image, 4 * kElements + kInput + 4 * 512);
  EXPECT_LE(bytes.per_image, 4 * kElements + kInput + 4 * 1024);
  // Mean and inverse deviation of 4,800 channels; the loss and its weight in LibTorch.
  EXPECT_GE(bytes.fixed, 2u * 4 * 4800);
  EXPECT_LT(bytes.fixed, 3u * 4 * 4800);
}

// In bf16 these take half the memory, but the image is kept a second time, and all weights of convolutions and of the
// last layer once more.
TEST(ActivationBytesTest, InBf16ItIsHalf) {
  const ActivationBytes bytes = CountActivationBytes(**MakeModel("resnet18", 1), AutocastMode::kBf16);
  EXPECT_GE(bytes.per_image, 2 * kElements + kInput);
  EXPECT_LE(bytes.per_image, 2 * kElements + kInput + 3072 * 2 + 4 * 1024);
  EXPECT_GT(bytes.fixed, 2u * 11'000'000);
}

// Its last batch norms see one pixel per image.
TEST(ActivationBytesTest, CountsTorchvisionsResNet18) {
  EXPECT_GT(CountActivationBytes(**MakeModel("resnet18_torchvision", 1), AutocastMode::kOff).per_image, kInput);
}

TEST(ActivationBytesTest, TheNetworkIsCountedAlikeAgain) {
  const std::shared_ptr<Model> model = *MakeModel("lenet5", 1);
  const ActivationBytes once = CountActivationBytes(*model, AutocastMode::kOff),
                        again = CountActivationBytes(*model, AutocastMode::kOff);
  EXPECT_EQ(once.per_image, again.per_image);
  EXPECT_EQ(once.fixed, again.fixed);
  EXPECT_GT(once.per_image, kInput);
}

}  // namespace
}  // namespace lockstep
