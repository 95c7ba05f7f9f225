#include "lib/nn/script_model.h"

#include <ATen/ops/allclose.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>
#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

#include "lib/record/digest.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Network of one fully connected layer in a submodule, with a batch norm whose statistics are buffers.
torch::jit::Module Script() {
  torch::jit::Module head("Head");
  head.register_parameter("weight", (at::randn({10, 3072}) * 0.01).requires_grad_(), /*is_buffer=*/false);
  head.define("def forward(self, x):\n  return x.matmul(self.weight.t())\n");
  torch::jit::Module net("Net");
  net.register_attribute("training", c10::BoolType::get(), true);
  net.register_parameter("scale", at::ones({3072}).requires_grad_(), /*is_buffer=*/false);
  net.register_buffer("mean", at::zeros({3072}));
  net.register_buffer("variance", at::ones({3072}));
  net.register_module("head", head);
  net.define(R"(
def forward(self, x):
  x = torch.batch_norm(x.flatten(1), self.scale, None, self.mean, self.variance, self.training, 0.1, 1e-5, True)
  return self.head.forward(x)
)");
  return net;
}

std::string Saved(const torch::jit::Module& script, const std::string& name) {
  const std::string path = TempPath(name);
  script.save(path);
  return path;
}

// Saves Script() with a changed forward().
std::string SavedWithForward(const std::string& forward, const std::string& name) {
  torch::jit::Module net("Net");
  net.register_parameter("weight", (at::randn({10, 3072}) * 0.01).requires_grad_(), /*is_buffer=*/false);
  net.register_parameter("unused", at::ones({1}).requires_grad_(), /*is_buffer=*/false);
  net.define("def forward(self, x):\n  return " + forward + "\n");
  return Saved(net, name);
}

TEST(ScriptModelTest, KeepsNamesAndWeights) {
  const torch::jit::Module script = Script();
  const auto model = LoadScriptModel(Saved(script, "net.pt"), {});
  ASSERT_THAT(model, IsOk());
  EXPECT_TRUE((*model)->is_training());
  std::vector<std::string> names;
  for (const auto& parameter : (*model)->named_parameters()) {
    names.push_back(parameter.key());
  }
  EXPECT_THAT(names, ElementsAre("scale", "head.weight"));
  EXPECT_TRUE(
      at::equal((*model)->named_parameters()["head.weight"], script.attr("head").toModule().attr("weight").toTensor()));
  // The check has run the module in training mode, but has left its statistics and gradients as they were.
  EXPECT_TRUE(at::equal((*model)->named_buffers()["mean"], at::zeros({3072})));
  EXPECT_FALSE((*model)->parameters()[0].grad().defined());
}

TEST(ScriptModelTest, TrainsTheTensorsOfTheScript) {
  const auto model = *LoadScriptModel(Saved(Script(), "net.pt"), {});
  const torch::Tensor images = at::rand({4, 3, 32, 32});
  model->eval();
  const torch::Tensor before = model->forward(images);
  {
    const at::NoGradGuard no_grad;
    model->named_parameters()["head.weight"].mul_(2);
  }
  EXPECT_TRUE(at::allclose(model->forward(images), before * 2));
  model->train();
  model->forward(images);
  EXPECT_FALSE(at::equal(model->named_buffers()["mean"], at::zeros({3072})));
  // New storage for a parameter, which channels_last and a move to another device make, reaches the script.
  model->named_parameters()["head.weight"].set_data(at::zeros({10, 3072}));
  EXPECT_EQ(model->forward(images).abs().max().item<float>(), 0);
}

TEST(ScriptModelTest, CountsAndIsMadeByItsPath) {
  const std::string path = Saved(Script(), "net.pt");
  const auto model = MakeModel(path, /*seed=*/3);
  ASSERT_THAT(model, IsOk());
  EXPECT_EQ(CountModel(**model).parameter_count(), 3072 + 10 * 3072);
  EXPECT_EQ(CountModel(**model).forward_macs_per_image(), 10 * 3072);
  proto::TrainingSpec spec;
  spec.set_model(path);
  spec.set_model_sha256(*Sha256HexOfFile(path));
  EXPECT_THAT(MakePlannedModel(spec), IsOk());
  spec.set_model_sha256(Sha256Hex("another file"));
  EXPECT_THAT(MakePlannedModel(spec),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("net.pt was replaced during the run")));
}

// A convolution of 3 to 4 channels by 3 x 3 without a border, 30 x 30 outputs, then a fully connected layer. The
// operators are called with values on the stack below their arguments.
TEST(ScriptModelTest, CountsConvolutions) {
  for (const char* convolution : {"torch.conv2d(x, self.filter)",
                                  "torch._convolution(x, self.filter, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1, "
                                  "False, False, True, True)"}) {
    torch::jit::Module net("Net");
    net.register_parameter("filter", (at::randn({4, 3, 3, 3}) * 0.01).requires_grad_(), /*is_buffer=*/false);
    net.register_parameter("weight", (at::randn({10, 3600}) * 0.01).requires_grad_(), /*is_buffer=*/false);
    net.define(absl::StrCat("def forward(self, x):\n  return torch.relu(x.mean() + ", convolution,
                            ").flatten(1).matmul(self.weight.t())\n"));
    const auto model = MakeModel(Saved(net, "convolution.pt"), /*seed=*/3);
    ASSERT_THAT(model, IsOk());
    EXPECT_EQ(CountModel(**model).forward_macs_per_image(), 4 * 3 * 9 * 30 * 30 + 10 * 3600) << convolution;
  }
}

TEST(ScriptModelTest, RefusesOtherFiles) {
  const std::string path = TempPath("text.pt");
  WriteFile(path, "not a module");
  EXPECT_THAT(LoadScriptModel(path, {}), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("torch.jit.save")));
  EXPECT_THAT(LoadScriptModel(TempPath("absent.pt"), {}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("absent.pt: cannot be opened: No such file")));
}

TEST(ScriptModelTest, RefusesModulesThatCannotBeTrained) {
  const auto expect_refused = [](const std::string& path, const std::string& message) {
    EXPECT_THAT(LoadScriptModel(path, {}), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr(message)));
  };
  expect_refused(SavedWithForward("x.flatten(1).matmul(self.weight.t())", "unused.pt"),
                 "the parameter unused gets no gradient");
  expect_refused(SavedWithForward("x.flatten(1).matmul(self.weight.t())[:, 1:] * self.unused", "classes.pt"),
                 "expected logits of shape (N, 10) for images of shape (N, 3, 32, 32), found (2, 9)");
  expect_refused(SavedWithForward("x.matmul(self.weight.t()) * self.unused", "fails.pt"),
                 "running it on images of shape (2, 3, 32, 32): RuntimeError: ");
  torch::jit::Module half = Script();
  half.to(at::kHalf);
  expect_refused(Saved(half, "half.pt"), "call net.float() first");
  torch::jit::Module frozen = Script();
  frozen.attr("scale").toTensor().set_requires_grad(false);
  expect_refused(Saved(frozen, "frozen.pt"), "the parameter scale is frozen");
  torch::jit::Module hidden = Script();
  hidden.register_attribute("state", c10::TensorType::get(), at::zeros({2}));
  expect_refused(Saved(hidden, "hidden.pt"), "the tensor state is neither parameter nor buffer");
}

}  // namespace
}  // namespace lockstep
