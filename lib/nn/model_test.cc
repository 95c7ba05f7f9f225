#include "lib/nn/model.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/randn.h>

#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::shared_ptr<Model> Make(const std::string& name, uint64_t seed = 0) {
  absl::StatusOr<std::shared_ptr<Model>> model = MakeModel(name, seed);
  EXPECT_THAT(model, IsOk());
  return *model;
}

std::vector<std::string> ParameterNames(const Model& model) {
  std::vector<std::string> names;
  for (const auto& parameter : model.named_parameters()) {
    names.push_back(parameter.key());
  }
  return names;
}

TEST(ModelTest, CountsResNet18) {
  const proto::ModelFacts facts = CountModel(*Make("resnet18"));
  EXPECT_EQ(facts.parameter_count(), 11173962);
  EXPECT_EQ(facts.gradient_bytes(), 44695848);
  // Output pixels x output channels x (input channels x kernel pixels), by layer:
  const double stem = 32 * 32 * 64.0 * (3 * 9);
  const double layer1 = 4 * (32 * 32 * 64.0 * (64 * 9));
  const double layer2 = 16 * 16 * 128.0 * (64 * 9 + 3 * (128 * 9) + 64);  // first 3x3, the other three, 1x1 shortcut
  const double layer3 = 8 * 8 * 256.0 * (128 * 9 + 3 * (256 * 9) + 128);
  const double layer4 = 4 * 4 * 512.0 * (256 * 9 + 3 * (512 * 9) + 256);
  const double linear = 512 * 10;
  EXPECT_EQ(stem + layer1 + layer2 + layer3 + layer4 + linear, 555422720);
  EXPECT_EQ(facts.forward_macs_per_image(), 555422720);
}

TEST(ModelTest, CountsLeNet5WithAndWithoutBias) {
  const proto::ModelFacts plain = CountModel(*Make("lenet5"));
  EXPECT_EQ(plain.parameter_count(), 3 * 6 * 25 + 6 * 16 * 25 + 400 * 120 + 120 * 84 + 84 * 10);
  // conv1 outputs 28x28, conv2 10x10.
  const double macs = 28 * 28 * 6 * 75 + 10 * 10 * 16 * 150 + 400 * 120 + 120 * 84 + 84 * 10;
  EXPECT_EQ(macs, 651720);
  EXPECT_EQ(plain.forward_macs_per_image(), 651720);
  const proto::ModelFacts biased = CountModel(*Make("lenet5_bias"));
  EXPECT_EQ(biased.parameter_count(), plain.parameter_count() + 6 + 16 + 120 + 84 + 10);
  EXPECT_EQ(biased.forward_macs_per_image(), 651720);
}

TEST(ModelTest, CountsTheOtherResNets) {
  EXPECT_EQ(CountModel(*Make("resnet18_torchvision")).parameter_count(), 11181642);
  EXPECT_EQ(CountModel(*Make("resnet18_plain")).parameter_count(), 11169162);
  EXPECT_EQ(CountModel(*Make("resnet18_plain")).forward_macs_per_image(), 555422720);  // like resnet18
  const proto::ModelFacts resnet34 = CountModel(*Make("resnet34"));
  EXPECT_EQ(resnet34.parameter_count(), 21282122);
  // Each block beyond those of ResNet-18 has two 3x3 convolutions, which have the same count in all stages.
  const double convolution = 32 * 32 * 64.0 * (64 * 9);
  EXPECT_EQ(resnet34.forward_macs_per_image(), 555422720 + 2 * (1 + 2 + 4 + 1) * convolution);
}

TEST(ModelTest, CountsMlp) {
  const proto::ModelFacts facts = CountModel(*Make("mlp:1024x3"));
  const double weights = 3072.0 * 1024 + 2 * 1024 * 1024 + 1024 * 10;
  EXPECT_EQ(facts.parameter_count(), weights + 3 * 1024 + 10);
  EXPECT_EQ(facts.forward_macs_per_image(), weights);
}

TEST(ModelTest, CountsVitTinyWithItsAttention) {
  const proto::ModelFacts facts = CountModel(*Make("vit_tiny"));
  EXPECT_EQ(facts.parameter_count(), 2693194);
  const double tokens = 64, width = 192;
  const double linear = tokens * width * (3 * width + width + 2 * 4 * width);  // qkv, proj, fc1, fc2
  const double attention = 2 * tokens * tokens * width;  // scores and their products with the values
  EXPECT_EQ(facts.forward_macs_per_image(), tokens * width * 48 + 6 * (linear + attention) + width * 10);
}

TEST(ModelTest, CountingLeavesTheModelAsItWas) {
  const std::shared_ptr<Model> model = Make("resnet18");
  const torch::Tensor mean = model->named_buffers()["bn1.running_mean"].clone();
  CountModel(*model);
  EXPECT_TRUE(model->is_training());
  EXPECT_TRUE(at::equal(model->named_buffers()["bn1.running_mean"], mean));
  EXPECT_EQ(model->named_buffers()["bn1.num_batches_tracked"].item<int64_t>(), 0);
}

TEST(ModelTest, NamesParametersAsThePythonNetworksDo) {
  EXPECT_THAT(ParameterNames(*Make("lenet5")),
              ElementsAre("conv1.weight", "conv2.weight", "fc1.weight", "fc2.weight", "fc3.weight"));
  EXPECT_THAT(ParameterNames(*Make("lenet5_bias")),
              ElementsAre("conv1.weight", "conv1.bias", "conv2.weight", "conv2.bias", "fc1.weight", "fc1.bias",
                          "fc2.weight", "fc2.bias", "fc3.weight", "fc3.bias"));
  const std::shared_ptr<Model> resnet = Make("resnet18");
  EXPECT_EQ(resnet->parameters().size(), 62);  // 20 convolutions, 20 batch norms of two, one linear of two
  const auto parameters = resnet->named_parameters();
  EXPECT_THAT(parameters["conv1.weight"].sizes().vec(), ElementsAre(64, 3, 3, 3));
  EXPECT_THAT(parameters["layer1.0.conv1.weight"].sizes().vec(), ElementsAre(64, 64, 3, 3));
  EXPECT_THAT(parameters["layer2.0.shortcut.0.weight"].sizes().vec(), ElementsAre(128, 64, 1, 1));
  EXPECT_THAT(parameters["layer4.1.bn2.bias"].sizes().vec(), ElementsAre(512));
  EXPECT_THAT(parameters["linear.weight"].sizes().vec(), ElementsAre(10, 512));
  EXPECT_FALSE(parameters.contains("layer1.0.shortcut.0.weight"));
  EXPECT_TRUE(resnet->named_buffers().contains("layer2.0.shortcut.1.running_var"));
}

TEST(ModelTest, GivesALogitPerClass) {
  for (const std::string& name : ModelWords()) {
    const torch::Tensor logits = Make(name)->forward(at::randn({2, kChannels, kImageSize, kImageSize}));
    EXPECT_THAT(logits.sizes().vec(), ElementsAre(2, 10)) << name;
    EXPECT_EQ(logits.scalar_type(), at::kFloat) << name;
  }
}

TEST(ModelTest, SameSeedSameWeights) {
  const auto weights = [](uint64_t seed) {
    return Make("resnet18", seed)->named_parameters()["layer3.0.conv2.weight"];
  };
  EXPECT_TRUE(at::equal(weights(7), weights(7)));
  EXPECT_FALSE(at::equal(weights(7), weights(8)));
}

TEST(ModelTest, RejectsUnknownNameAndListsTheKnown) {
  EXPECT_THAT(MakeModel("resnet19", 0),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("expected resnet18, resnet18_torchvision")));
}

// The width of the classifier follows the classes: 90 classes more are 90 * (512 + 1) and 90 * 84 parameters more.
TEST(ModelTest, TheClassifierFollowsTheClasses) {
  const ModelShape hundred = {100, 32, 32};
  const proto::ModelFacts resnet18 = CountModel(**MakeModel("resnet18", 1, hundred));
  EXPECT_EQ(resnet18.parameter_count(), 11'173'962u + 90 * 513);
  EXPECT_EQ(resnet18.forward_macs_per_image(), CountModel(*Make("resnet18")).forward_macs_per_image() + 90.0 * 512);
  EXPECT_EQ(resnet18.classes(), 100u);
  EXPECT_EQ(CountModel(**MakeModel("lenet5", 1, hundred)).parameter_count(), 61'770u + 90 * 84);
  const torch::Tensor logits = (*MakeModel("resnet18", 1, hundred))->forward(at::randn({2, 3, 32, 32}));
  EXPECT_EQ(logits.sizes(), (at::IntArrayRef{2, 100}));
}

// Twice the height and twice the width are four times the multiply-accumulates of every convolution.
TEST(ModelTest, OperationsFollowTheImageSize) {
  const double small = CountModel(*Make("resnet18")).forward_macs_per_image();
  const proto::ModelFacts large = CountModel(**MakeModel("resnet18", 1, {10, 64, 64}));
  EXPECT_EQ(large.forward_macs_per_image(), 4 * (small - 5120) + 5120);  // the classifier has 512 * 10
  EXPECT_EQ(large.parameter_count(), 11'173'962u);
  EXPECT_EQ(large.height(), 64u);
  const proto::ModelFacts lenet5 = CountModel(**MakeModel("lenet5", 1, {10, 64, 40}));
  EXPECT_EQ(lenet5.parameter_count(), 61'770u + 120 * 16 * (13 * 7 - 25));  // 13x7 pixels are left instead of 5x5
  EXPECT_EQ((*MakeModel("lenet5", 1, {3, 16, 17}))->forward(at::randn({2, 3, 16, 17})).sizes(),
            (at::IntArrayRef{2, 3}));
}

TEST(ModelTest, TooSmallImagesAreAnErrorOfLenet5) {
  EXPECT_THAT(MakeModel("lenet5", 1, {10, 15, 32}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("16x16 or larger, found 15x32")));
  EXPECT_EQ((*MakeModel("resnet18", 1, {10, 4, 9}))->forward(at::randn({2, 3, 4, 9})).sizes(),
            (at::IntArrayRef{2, 10}));
}

}  // namespace
}  // namespace lockstep
