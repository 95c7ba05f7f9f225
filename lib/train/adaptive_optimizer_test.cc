// Compares each optimizer with LibTorch's own where it has one, and with its formula in double.
#include "lib/train/adaptive_optimizer.h"

#include <ATen/ops/allclose.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/randn.h>
#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/rmsprop.h>

#include <cmath>
#include <memory>
#include <vector>

#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;

constexpr int kSteps = 4;
constexpr double kRate = 0.01, kDecay = 0.1;

std::vector<at::Tensor> Parameters() {
  torch::manual_seed(7);
  return {at::randn({4, 3, 3, 3}).requires_grad_(), at::randn({5}).requires_grad_()};
}

// Gives the parameters the gradients of a step; the same step gives the same gradients.
void SetGradients(int step, const std::vector<at::Tensor>& parameters) {
  torch::manual_seed(100 + step);
  for (const at::Tensor& parameter : parameters) {
    const_cast<at::Tensor&>(parameter).mutable_grad() = at::randn(parameter.sizes());
  }
}

AdaptiveOptions Options(proto::OptimizerKind kind) {
  AdaptiveOptions options;
  options.kind = kind;
  options.learning_rate = kRate;
  options.weight_decay = kDecay;
  return options;
}

// Each step makes about ten fp32 roundings of numbers of size one.
constexpr double kTolerance = kSteps * 10 * 0x1p-24;

// Trains by both, and expects the same weights.
void ExpectSame(proto::OptimizerKind kind, const std::vector<at::Tensor>& theirs, torch::optim::Optimizer& reference) {
  const std::vector<at::Tensor> ours = Parameters();
  AdaptiveOptimizer optimizer(ours, Options(kind));
  for (int step = 0; step < kSteps; ++step) {
    SetGradients(step, ours);
    SetGradients(step, theirs);
    ASSERT_THAT(optimizer.Step(), IsOk());
    reference.step();
    for (size_t i = 0; i < ours.size(); ++i) {
      EXPECT_TRUE(at::allclose(ours[i], theirs[i], kTolerance, kTolerance)) << "step " << step << ", tensor " << i;
    }
  }
}

TEST(AdaptiveOptimizerTest, AdamIsLibTorchs) {
  const std::vector<at::Tensor> theirs = Parameters();
  torch::optim::Adam reference(theirs, torch::optim::AdamOptions(kRate).weight_decay(kDecay));
  ExpectSame(proto::ADAM, theirs, reference);
}

TEST(AdaptiveOptimizerTest, AdamWIsLibTorchs) {
  const std::vector<at::Tensor> theirs = Parameters();
  torch::optim::AdamW reference(theirs, torch::optim::AdamWOptions(kRate).weight_decay(kDecay));
  ExpectSame(proto::ADAMW, theirs, reference);
}

TEST(AdaptiveOptimizerTest, AdagradIsLibTorchs) {
  const std::vector<at::Tensor> theirs = Parameters();
  torch::optim::Adagrad reference(theirs, torch::optim::AdagradOptions(kRate).weight_decay(kDecay));
  ExpectSame(proto::ADAGRAD, theirs, reference);
}

TEST(AdaptiveOptimizerTest, RmspropIsLibTorchs) {
  const std::vector<at::Tensor> theirs = Parameters();
  torch::optim::RMSprop reference(theirs, torch::optim::RMSpropOptions(kRate).weight_decay(kDecay));
  ExpectSame(proto::RMSPROP, theirs, reference);
}

// LibTorch has no Adadelta.
TEST(AdaptiveOptimizerTest, AdadeltaFollowsItsFormula) {
  const std::vector<at::Tensor> ours = Parameters(), start = Parameters();
  AdaptiveOptimizer optimizer(ours, Options(proto::ADADELTA));
  std::vector<at::Tensor> w, v, m;
  for (const at::Tensor& parameter : start) {
    w.push_back(parameter.detach().to(at::kDouble).clone());
    v.push_back(w.back() * 0);
    m.push_back(w.back() * 0);
  }
  for (int step = 0; step < kSteps; ++step) {
    SetGradients(step, ours);
    ASSERT_THAT(optimizer.Step(), IsOk());
    for (size_t i = 0; i < ours.size(); ++i) {
      const at::Tensor g = ours[i].grad().to(at::kDouble) + kDecay * w[i];
      v[i] = 0.9 * v[i] + 0.1 * g * g;
      const at::Tensor d = g * (m[i] + 1e-6).sqrt() / (v[i] + 1e-6).sqrt();
      m[i] = 0.9 * m[i] + 0.1 * d * d;
      w[i] = w[i] - kRate * d;
      EXPECT_TRUE(at::allclose(ours[i].to(at::kDouble), w[i], kTolerance, kTolerance)) << "step " << step;
    }
  }
}

TEST(AdaptiveOptimizerTest, RateOnTheDeviceGivesTheSameWeights) {
  for (const proto::OptimizerKind kind : {proto::ADAM, proto::ADAMW, proto::ADAGRAD, proto::ADADELTA, proto::RMSPROP}) {
    const std::vector<at::Tensor> ours = Parameters(), others = Parameters();
    AdaptiveOptimizer on_host(ours, Options(kind)), on_device(others, Options(kind));
    on_device.ReadRateOnDevice(c10::Device(c10::kCPU));
    for (int step = 0; step < kSteps; ++step) {
      for (Optimizer* optimizer : {static_cast<Optimizer*>(&on_host), static_cast<Optimizer*>(&on_device)}) {
        optimizer->set_learning_rate(kRate / (1 + step));
      }
      SetGradients(step, ours);
      SetGradients(step, others);
      ASSERT_THAT(on_host.Step(), IsOk());
      ASSERT_THAT(on_device.Step(), IsOk());
    }
    for (size_t i = 0; i < ours.size(); ++i) {
      // The rate is rounded to fp32 on the device.
      EXPECT_TRUE(at::allclose(ours[i], others[i], kTolerance, kTolerance)) << proto::OptimizerKind_Name(kind);
    }
  }
}

// A run that continues from State() must not be different from one that was not interrupted.
TEST(AdaptiveOptimizerTest, ContinuesFromItsState) {
  for (const proto::OptimizerKind kind : {proto::ADAM, proto::ADAMW, proto::ADAGRAD, proto::ADADELTA, proto::RMSPROP}) {
    const std::vector<at::Tensor> ours = Parameters(), others = Parameters();
    AdaptiveOptimizer whole(ours, Options(kind)), second_half(others, Options(kind));
    for (int step = 0; step < kSteps; ++step) {
      if (step == kSteps / 2) {
        const auto from = whole.State(), to = second_half.State();
        for (size_t i = 0; i < from.size(); ++i) {
          EXPECT_EQ(from[i].first, to[i].first);
          to[i].second.copy_(from[i].second);
        }
        const at::NoGradGuard no_grad;
        for (size_t i = 0; i < ours.size(); ++i) {
          const_cast<at::Tensor&>(others[i]).copy_(ours[i]);
        }
        second_half.MarkStateInitialized();
      }
      SetGradients(step, ours);
      SetGradients(step, others);
      ASSERT_THAT(whole.Step(), IsOk());
      if (step >= kSteps / 2) {
        ASSERT_THAT(second_half.Step(), IsOk());
      }
    }
    for (size_t i = 0; i < ours.size(); ++i) {
      EXPECT_TRUE(at::equal(ours[i], others[i])) << proto::OptimizerKind_Name(kind);
    }
  }
}

TEST(AdaptiveOptimizerTest, RefusesAParameterWithoutGradient) {
  const std::vector<at::Tensor> parameters = Parameters();
  EXPECT_THAT(AdaptiveOptimizer(parameters, Options(proto::ADAM)).Step(),
              StatusIs(absl::StatusCode::kFailedPrecondition, ::testing::HasSubstr("has no gradient")));
}

}  // namespace
}  // namespace lockstep
