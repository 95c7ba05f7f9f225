#include "lib/quantize/read_checkpoint.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>

#include <cmath>
#include <filesystem>
#include <memory>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/nn/checkpoint.h"
#include "lib/nn/model.h"
#include "lib/quantize/torch_forward.h"
#include "lib/record/digest.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::HasSubstr;

constexpr int64_t kImages = 4;

// Returns a network in eval mode whose batch norms are not identities.
std::shared_ptr<Model> Trained(const std::string& name) {
  const at::NoGradGuard no_grad;
  std::shared_ptr<Model> model = *MakeModel(name, /*seed=*/3);
  for (auto& parameter : model->named_parameters()) {
    if (parameter.value().dim() == 1) {  // gammas, betas and biases
      parameter.value().add_(at::rand(parameter.value().sizes()).sub_(0.5));
    }
  }
  for (auto& buffer : model->named_buffers()) {
    if (buffer.key().find("running_mean") != std::string::npos) {
      buffer.value().copy_(at::randn(buffer.value().sizes()).mul_(0.1));
    } else if (buffer.key().find("running_var") != std::string::npos) {
      buffer.value().copy_(at::rand(buffer.value().sizes()).add_(0.5));
    }
  }
  model->eval();
  return model;
}

// Batch norm multiplies the convolution's output; folded, it multiplies the weights, so each logit is rounded
// differently. Over 20 layers of sums of up to 4,608 terms the difference is some 1e-5 of the largest logit; a wrong
// fold is off by its whole size.
void ExpectSameLogits(const std::string& name) {
  const std::shared_ptr<Model> model = Trained(name);
  const auto network = FromModel(name, *model);
  ASSERT_THAT(network, IsOk());
  const auto forward = TorchForward::Make(*network);
  ASSERT_THAT(forward, IsOk());
  const at::NoGradGuard no_grad;
  const at::Tensor images = at::randn({kImages, kChannels, kImageSize, kImageSize});
  const at::Tensor expected = model->forward(images.clone()).contiguous();
  const std::vector<float> pixels(images.data_ptr<float>(), images.data_ptr<float>() + images.numel());
  const auto logits = (*forward)->Run(pixels, kImages);
  ASSERT_THAT(logits, IsOk());
  ASSERT_EQ(logits->size(), static_cast<size_t>(kImages * kClasses));
  float largest = 0;
  for (size_t i = 0; i < logits->size(); ++i) {
    largest = std::max(largest, std::abs(expected.data_ptr<float>()[i]));
  }
  for (size_t i = 0; i < logits->size(); ++i) {
    EXPECT_NEAR((*logits)[i], expected.data_ptr<float>()[i], 1e-4f * largest) << name << " logit " << i;
  }
}

TEST(FromModelTest, LeNet5sLogitsAreTheModels) {
  ExpectSameLogits("lenet5");
  ExpectSameLogits("lenet5_bias");
}

TEST(FromModelTest, ResNet18sLogitsAreTheModelsWithBatchNormFolded) { ExpectSameLogits("resnet18"); }

TEST(FromModelTest, ResNet18sLayersAllHaveABiasButThoseWithoutWeights) {
  const auto network = FromModel("resnet18", *Trained("resnet18"));
  ASSERT_THAT(network, IsOk());
  EXPECT_THAT(CheckNetwork(*network), IsOk());
  for (const FloatLayer& layer : network->layers) {
    EXPECT_EQ(layer.bias.size(), layer.shape.HasWeights() ? layer.shape.out_channels : 0) << layer.shape.name;
  }
}

TEST(FromModelTest, KnowsItsNetworks) {
  EXPECT_THAT(FromModel("vgg11", *Trained("lenet5")),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("vgg11: expected lenet5")));
}

TEST(ReadCheckpointTest, FindsOutWhichNetworkItIs) {
  for (const std::string name : {"lenet5", "lenet5_bias", "resnet18"}) {
    const std::string path = TempPath(name + ".pt");
    const auto saved = SaveCheckpoint(*Trained(name), {}, path, ReplaceAnything());
    ASSERT_THAT(saved, IsOk());
    const auto read = ReadCheckpoint(path);
    ASSERT_THAT(read, IsOk());
    EXPECT_EQ(read->network.name, name);
    EXPECT_THAT(CheckNetwork(read->network), IsOk());
    EXPECT_EQ(read->input.path(), path);
    EXPECT_EQ(read->input.sha256(), *saved);
    EXPECT_EQ(read->input.sha256(), *Sha256HexOfFile(path));
    EXPECT_EQ(read->input.size_bytes(), std::filesystem::file_size(path));
  }
}

class OtherModel : public Model {
 public:
  OtherModel() { register_parameter("weight", at::rand({3})); }
  torch::Tensor forward(torch::Tensor images) override { return images; }
};

TEST(ReadCheckpointTest, ReportsOnceWhyItIsNoneOfThem) {
  const std::string path = TempPath("other.pt");
  ASSERT_THAT(SaveCheckpoint(OtherModel(), {}, path, ReplaceAnything()), IsOk());
  EXPECT_THAT(ReadCheckpoint(path),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       "checkpoint " + path +
                           ": expected weights of lenet5, lenet5_bias, resnet18; found other names, such as weight "
                           "(docs/quantize.md, Own weights)"));
}

TEST(ReadCheckpointTest, ReportsTheFirstDifferenceFromTheNearestNetwork) {
  const std::string path = TempPath("wide.pt");
  const std::shared_ptr<Model> model = Trained("resnet18");
  model->named_children()["linear"]->named_parameters()["weight"].set_data(at::rand({100, 512}));
  ASSERT_THAT(SaveCheckpoint(*model, {}, path, ReplaceAnything()), IsOk());
  EXPECT_THAT(ReadCheckpoint(path),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("; nearest to resnet18: linear.weight: expected (10, 512), found (100, 512)")));
}

TEST(ReadCheckpointTest, ABrokenFileIsReported) {
  const std::string path = TempPath("broken.pt");
  WriteFile(path, "no zip");
  EXPECT_THAT(ReadCheckpoint(path), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("broken.pt")));
}

}  // namespace
}  // namespace lockstep
