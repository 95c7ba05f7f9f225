#include "lib/quantize/torch_network.h"

#include <ATen/ops/conv2d.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/linear.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <random>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/dataset/augment.h"
#include "lib/dataset/small_dataset.h"
#include "lib/int8/calibration.h"
#include "lib/int8/float_reference.h"
#include "lib/int8/quantize_layers.h"
#include "lib/int8/random_network.h"
#include "lib/nn/checkpoint.h"
#include "lib/nn/model.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::RandomNetwork;
using ::lockstep::testing::SmallImageSet;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr uint32_t kImages = 12;
constexpr size_t kClassCount = 10;

NormalizationTable LabNormalization() {
  return MakeNormalizationTable({.4914f, .4822f, .4465f}, {.2023f, .1994f, .2010f});
}

// fp32 (kImages, 3, 32, 32), normalised.
std::vector<float> SmallImages() {
  const ImageSet set = SmallImageSet(proto::TEST, kImages);
  std::vector<float> images;
  for (uint32_t i = 0; i < kImages; ++i) {
    const std::vector<float> image = NormalizedImage(set, i, LabNormalization());
    images.insert(images.end(), image.begin(), image.end());
  }
  return images;
}

std::vector<float> Magnitudes(std::vector<float> values) {
  std::transform(values.begin(), values.end(), values.begin(), [](float value) { return std::abs(value); });
  return values;
}

torch::Tensor ToTensor(const std::vector<float>& values, std::vector<int64_t> sizes) {
  return at::from_blob(const_cast<float*>(values.data()), sizes).clone();
}

// The layer's weighted sum by LibTorch's operator.
torch::Tensor TorchLayer(const FloatLayer& layer, const std::vector<float>& input) {
  const LayerShape& shape = layer.shape;
  const int64_t in = shape.in_channels, out = shape.out_channels, kernel = shape.kernel;
  const std::optional<torch::Tensor> bias =
      layer.bias.empty() ? std::nullopt : std::make_optional(ToTensor(layer.bias, {out}));
  if (shape.kind == LayerKind::kConv2d) {
    return at::conv2d(ToTensor(input, {1, in, shape.in_height, shape.in_width}),
                      ToTensor(layer.weight, {out, in, kernel, kernel}), bias);
  }
  return at::linear(ToTensor(input, {1, in}), ToTensor(layer.weight, {out, in}), bias);
}

// One layer, both ways, on the same input. With u = 2^-24, a sum of K products and a bias in fp32, in any order, is off
// by at most 1.01 (K + 1) u (sum|w||x| + |b|) (1.01 covers the higher orders), so two of them are apart by twice that.
void ExpectLayerEqual(const FloatLayer& layer, const std::vector<float>& input, const std::vector<float>& plain) {
  const torch::Tensor torch_output = TorchLayer(layer, input).contiguous();
  ASSERT_EQ(static_cast<size_t>(torch_output.numel()), plain.size());
  FloatNetwork magnitudes;
  magnitudes.layers = {{layer.shape, Magnitudes(layer.weight), Magnitudes(layer.bias)}};
  magnitudes.layers[0].shape.pool = 0;
  const std::vector<float> sums = RunFloat(magnitudes, Magnitudes(input).data());
  const double rounding = 2 * 1.01 * static_cast<double>(layer.shape.Terms() + 1) / (1 << 24);
  for (size_t i = 0; i < plain.size(); ++i) {
    ASSERT_NEAR(torch_output.data_ptr<float>()[i], plain[i], rounding * sums[i]) << layer.shape.name << " output " << i;
  }
}

// Every layer on the inputs that the plain loops give it.
void ExpectEveryLayerEqual(const FloatNetwork& network) {
  const std::vector<float> images = SmallImages();
  for (uint32_t i = 0; i < kImages; ++i) {
    std::vector<float> input(images.begin() + i * kImageBytes, images.begin() + (i + 1) * kImageBytes);
    for (const FloatLayer& layer : network.layers) {
      const FloatNetwork alone = {layer.shape.name, {layer}};
      std::vector<float> plain;
      const std::vector<float> next =
          RunFloat(alone, input.data(),
                   [&](size_t, const std::vector<float>& before, const std::vector<float>&) { plain = before; });
      ExpectLayerEqual(layer, input, plain);
      input = next;
    }
  }
}

TEST(PlainLoopsTest, EveryLayerEqualsLibTorchs) {
  ExpectEveryLayerEqual(RandomNetwork(LeNet5Layers(), false, 1));
  ExpectEveryLayerEqual(RandomNetwork(LeNet5Layers(), true, 2));
}

TEST(PlainLoopsTest, EveryLayerEqualsLibTorchsOnInt8Weights) {
  const FloatNetwork network = RandomNetwork(LeNet5Layers(), true, 3);
  const ImageSet set = SmallImageSet(proto::TRAIN, 3);
  const auto calibration = Calibrate(network, {set, {0, 1, 2}, LabNormalization()});
  ASSERT_THAT(calibration, IsOk());
  const auto quantized = QuantizeLayers(network, *calibration, proto::MAX_ABS);
  ASSERT_THAT(quantized, IsOk());
  ExpectEveryLayerEqual(WithInt8Weights(network, *quantized));
}

// Weights of -1, 0 and 1, at most eight not 0 in an output, and biases of -1 and 1.
FloatNetwork SmallIntegerNetwork(bool bias) {
  std::mt19937 random(4);
  FloatNetwork network = RandomNetwork(LeNet5Layers(), bias, 4);
  for (FloatLayer& layer : network.layers) {
    const size_t terms = layer.shape.Terms();
    layer.weight.assign(layer.weight.size(), 0.0f);
    for (size_t o = 0; o < layer.shape.out_channels; ++o) {
      for (int i = 0; i < 8; ++i) {
        layer.weight[o * terms + random() % terms] = random() % 2 == 0 ? 1.0f : -1.0f;
      }
    }
    for (float& value : layer.bias) {
      value = value < 0 ? -1.0f : 1.0f;
    }
  }
  return network;
}

// Bytes up to 255 through five layers of at most eight terms and a bias stay integers of at most 255 * 8^5 + ... <
// 2^24: every sum is exact in fp32 in any order, so that the two ways must agree to the last bit through the whole
// network.
TEST(TorchLogitsTest, EqualsThePlainLoopsExactlyOnSmallIntegers) {
  const ImageSet set = SmallImageSet(proto::TEST, kImages);
  const std::vector<float> images(set.pixels.begin(), set.pixels.end());
  for (const bool bias : {false, true}) {
    const FloatNetwork network = SmallIntegerNetwork(bias);
    const auto logits = TorchLogits(network, images);
    ASSERT_THAT(logits, IsOk());
    ASSERT_EQ(logits->size(), kImages * kClassCount);
    for (uint32_t i = 0; i < kImages; ++i) {
      const std::vector<float> plain = RunFloat(network, &images[i * kImageBytes]);
      ASSERT_EQ(std::vector<float>(&(*logits)[i * kClassCount], &(*logits)[(i + 1) * kClassCount]), plain) << i;
      EXPECT_GT(*std::max_element(plain.begin(), plain.end()), 0) << "logits that say nothing";
    }
  }
}

TEST(TorchLogitsTest, ANetworkOfOtherSizesIsOurFault) {
  FloatNetwork network = RandomNetwork(LeNet5Layers(), false, 1);
  network.layers[2].weight.pop_back();
  EXPECT_THAT(TorchLogits(network, SmallImages()), StatusIs(absl::StatusCode::kInternal, HasSubstr("fc1.weight")));
}

// A checkpoint of a model of lib/nn, and the model.
std::shared_ptr<Model> SaveModel(const std::string& name, const std::string& path) {
  const auto model = MakeModel(name, /*seed=*/5);
  EXPECT_THAT(model, IsOk());
  EXPECT_THAT(SaveCheckpoint(**model, path), IsOk());
  return *model;
}

TEST(ReadCheckpointTest, TellsWhichNetworkItIsAndTakesItsNumbers) {
  for (const std::string name : {"lenet5", "lenet5_bias"}) {
    const std::string path = TempPath(name + ".pt");
    const std::shared_ptr<Model> model = SaveModel(name, path);
    const auto network = ReadCheckpoint(path);
    ASSERT_THAT(network, IsOk());
    ASSERT_THAT(CheckNetwork(*network), IsOk());
    EXPECT_EQ(network->name, name);
    EXPECT_EQ(network->HasBias(), name == "lenet5_bias");
    // conv2.weight (16, 6, 5, 5) at [15, 5, 4, 3] and fc1.weight (120, 400) at [7, 399], counted row by row.
    const auto parameters = model->named_parameters();
    EXPECT_EQ(network->layers[1].weight[2398], parameters["conv2.weight"][15][5][4][3].item<float>());
    EXPECT_EQ(network->layers[2].weight[7 * 400 + 399], parameters["fc1.weight"][7][399].item<float>());
    if (network->HasBias()) {
      EXPECT_EQ(network->layers[4].bias[9], parameters["fc3.bias"][9].item<float>());
    }
  }
}

TEST(ReadCheckpointTest, AnotherNetworkIsRefusedWithBothReasons) {
  const std::string path = TempPath("resnet18.pt");
  SaveModel("resnet18", path);
  EXPECT_THAT(ReadCheckpoint(path),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr(path), HasSubstr("not lenet5:"), HasSubstr("not lenet5_bias:"))));
}

TEST(ReadCheckpointTest, AMissingFile) {
  EXPECT_THAT(ReadCheckpoint("/no/such.pt"), StatusIs(absl::StatusCode::kNotFound, HasSubstr("/no/such.pt")));
}

TEST(ReadCheckpointTest, ABrokenFile) {
  const std::string path = TempPath("text.pt");
  WriteFile(path, "hello\n");
  EXPECT_THAT(ReadCheckpoint(path), StatusIs(absl::StatusCode::kDataLoss, HasSubstr(path)));
}

}  // namespace
}  // namespace lockstep
