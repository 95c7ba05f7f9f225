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
  for (const std::string& name : ModelNames()) {
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
  EXPECT_THAT(MakeModel("resnet19", 0), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("resnet18, lenet5")));
}

}  // namespace
}  // namespace lockstep
