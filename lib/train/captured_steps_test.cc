// Tests everything around the graphs (static inputs, restored state, learning rates, counts) on the CPU, where a
// "graph" just runs its work again. autograd_cuda_test captures real graphs.
#include "lib/train/captured_steps.h"

#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>

#include <vector>

#include "lib/testing/matchers.h"
#include "lib/train/sgd.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;

const c10::Device kCpu(c10::kCPU);
const StepGraph* last_shared = nullptr;

class Anew : public StepGraph {
 public:
  explicit Anew(const Work& work) : work_(work) {}
  void Replay() override {
    work_.before();
    EXPECT_THAT(work_.run(), IsOk());
  }

 private:
  const Work work_;
};

absl::StatusOr<std::unique_ptr<StepGraph>> RunAnew(c10::Device, const StepGraph::Work& work, const StepGraph* shared) {
  for (int i = 0; i < 3; ++i) {
    work.before();
    if (const absl::Status status = work.run(); !status.ok()) {
      return status;
    }
  }
  last_shared = shared;
  return std::make_unique<Anew>(work);
}

struct Training {
  explicit Training(bool remedies = false)
      : sgd(model->parameters(), {0.0625, 0.9, 5e-4, remedies ? 0.5 : 0, remedies ? 0.25 : 0}) {}

  std::shared_ptr<Model> model = *MakeModel("resnet18", 3);
  Sgd sgd;
  CapturedSteps steps{*model,
                      sgd,
                      kCpu,
                      at::MemoryFormat::Contiguous,
                      [this](const torch::Tensor& images, const torch::Tensor& labels) {
                        const torch::Tensor logits = model->forward(images);
                        return ForwardResult{logits, at::cross_entropy_loss(logits, labels)};
                      },
                      RunAnew};

  std::vector<torch::Tensor> State() const {
    std::vector<torch::Tensor> state;
    std::vector<torch::Tensor> momentum;
    for (const auto& [name, tensor] : sgd.State()) {
      momentum.push_back(tensor);
    }
    for (const auto& tensors : {model->parameters(), model->buffers(), momentum}) {
      for (const torch::Tensor& tensor : tensors) {
        state.push_back(tensor.detach().clone());
      }
    }
    return state;
  }
};

bool SameBits(const std::vector<torch::Tensor>& a, const std::vector<torch::Tensor>& b) {
  bool same = a.size() == b.size();
  for (size_t i = 0; same && i < a.size(); ++i) {
    same = at::equal(a[i], b[i]);
  }
  return same;
}

TEST(CapturedStepsTest, CapturingLeavesNoTrace) {
  Training training;
  const std::vector<torch::Tensor> before = training.State();
  ASSERT_THAT(training.steps.Capture(4), IsOk());
  EXPECT_TRUE(SameBits(training.State(), before));
  EXPECT_TRUE(training.steps.Has(4));
  EXPECT_FALSE(training.steps.Has(2));
  ASSERT_THAT(training.steps.Capture(4), IsOk());  // does nothing: already captured
  ASSERT_THAT(training.steps.Capture(2), IsOk());
  EXPECT_NE(last_shared, nullptr);  // the second graph shares the first one's memory
  EXPECT_TRUE(SameBits(training.State(), before));
}

// Hook that is settled after two steps.
struct CountingHook : GradientHook {
  absl::Status BeforeBackward() override {
    ++before;
    return absl::OkStatus();
  }
  absl::Status AfterBackward() override {
    ++after;
    return failure;
  }
  bool settled() const override { return after >= 2; }
  void BeginReplays() override { ++begun; }
  void Replayed() override { ++replayed; }

  int before = 0, after = 0, begun = 0, replayed = 0;
  absl::Status failure;
};

TEST(CapturedStepsTest, AHookIsTriedUntilItIsSettledAndIsNotifiedOfReplays) {
  Training training;
  CountingHook hook;
  const std::vector<torch::Tensor> before = training.State();
  ASSERT_THAT(training.steps.Capture(4, &hook, 1), IsOk());
  EXPECT_TRUE(SameBits(training.State(), before));
  EXPECT_EQ(hook.before, 2 + 3);
  EXPECT_EQ(hook.after, 2 + 3);
  EXPECT_EQ(hook.begun, 1);
  EXPECT_EQ(hook.replayed, 0);
  EXPECT_TRUE(training.steps.Has(4, &hook));
  EXPECT_FALSE(training.steps.Has(4));
  training.steps.Replay(4);
  EXPECT_EQ(hook.replayed, 1);
  EXPECT_EQ(hook.after, 2 + 3 + 1);  // this "graph" runs its work again

  ASSERT_THAT(training.steps.Capture(2, &hook, 1), IsOk());
  EXPECT_EQ(hook.after, 2 + 3 + 1 + 3);
  EXPECT_EQ(hook.begun, 2);
}

TEST(CapturedStepsTest, NoTwoRanksTryTheSameImages) {
  Training one, other;
  ASSERT_THAT(one.steps.Capture(2, nullptr, 0), IsOk());
  ASSERT_THAT(other.steps.Capture(2, nullptr, 1), IsOk());
  EXPECT_FALSE(at::equal(one.steps.InputsOf(2).images, other.steps.InputsOf(2).images));
}

TEST(CapturedStepsTest, AHooksErrorIsPassedOn) {
  Training training;
  CountingHook hook;
  hook.failure = absl::UnavailableError("rank 1 is gone");
  EXPECT_THAT(training.steps.Capture(2, &hook),
              StatusIs(absl::StatusCode::kUnavailable, ::testing::HasSubstr("rank 1 is gone")));
  EXPECT_FALSE(training.steps.Has(2, &hook));
}

void ExpectAStepIsWhatItIsUncaptured(bool remedies) {
  Training plain(remedies), captured(remedies);
  ASSERT_THAT(captured.steps.Capture(4), IsOk());
  ASSERT_THAT(captured.steps.Capture(2), IsOk());
  captured.steps.Clear();
  double loss_sum = 0;
  int64_t correct = 0;
  for (const int64_t n : {4, 4, 2}) {
    const torch::Tensor images = at::randn({n, kChannels, kImageSize, kImageSize});
    const torch::Tensor labels = at::randint(kClasses, {n}, at::kLong);
    const double rate = n == 2 ? 0.03125 : 0.0625;  // exact in fp32
    plain.sgd.set_learning_rate(rate);
    captured.sgd.set_learning_rate(rate);

    plain.model->zero_grad();
    const torch::Tensor logits = plain.model->forward(images);
    const torch::Tensor loss = at::cross_entropy_loss(logits, labels);
    loss.backward();
    ASSERT_THAT(plain.sgd.Step(), IsOk());
    loss_sum += loss.item<double>() * static_cast<double>(n);
    correct += logits.argmax(1).eq(labels).sum().item<int64_t>();

    const CapturedSteps::Inputs& inputs = captured.steps.InputsOf(static_cast<uint32_t>(n));
    inputs.images.copy_(images);
    inputs.labels.copy_(labels);
    captured.steps.Replay(static_cast<uint32_t>(n));
  }
  EXPECT_TRUE(SameBits(captured.State(), plain.State()));
  EXPECT_DOUBLE_EQ(captured.steps.LossSum(), loss_sum);
  EXPECT_EQ(captured.steps.Correct(), correct);
  captured.steps.Clear();
  EXPECT_EQ(captured.steps.LossSum(), 0);
  EXPECT_EQ(captured.steps.Correct(), 0);
}

TEST(CapturedStepsTest, AStepIsWhatItIsUncaptured) { ExpectAStepIsWhatItIsUncaptured(false); }

TEST(CapturedStepsTest, AStepWithClippingAndLarsIsWhatItIsUncaptured) { ExpectAStepIsWhatItIsUncaptured(true); }

TEST(CapturedStepsTest, AnErrorIsPassedOn) {
  Training training;
  Model& model = *training.model;
  CapturedSteps failing(
      model, training.sgd, kCpu, at::MemoryFormat::Contiguous,
      [](const torch::Tensor& images, const torch::Tensor&) {
        const torch::Tensor nothing = at::randn({images.size(0), kClasses}).requires_grad_();
        return ForwardResult{nothing, nothing.mean()};  // does not depend on any parameter
      },
      RunAnew);
  EXPECT_THAT(failing.Capture(4),
              StatusIs(absl::StatusCode::kFailedPrecondition, ::testing::HasSubstr("has no gradient")));
  EXPECT_FALSE(failing.Has(4));
}

}  // namespace
}  // namespace lockstep
