// Compares SGD's rules for large batches with their formulas and with LibTorch's own functions. train_test tests plain
// SGD.
#include "lib/train/sgd.h"

#include <ATen/ops/allclose.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <torch/nn/utils/clip_grad.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "lib/testing/matchers.h"
#include "lib/train/clip_gradients.h"
#include "lib/train/lars.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;

// Returns three tensors of different shapes, with gradients.
std::vector<at::Tensor> WithGradients(double size) {
  torch::manual_seed(7);
  std::vector<at::Tensor> parameters;
  for (const auto& shape : std::vector<std::vector<int64_t>>{{4, 3, 3, 3}, {4}, {5, 4}}) {
    parameters.push_back(at::randn(shape).requires_grad_());
    parameters.back().mutable_grad() = at::randn(shape) * size;
  }
  return parameters;
}

std::vector<at::Tensor> GradientsOf(const std::vector<at::Tensor>& parameters) {
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& parameter : parameters) {
    gradients.push_back(parameter.grad());
  }
  return gradients;
}

TEST(ClipGradientsTest, DoesWhatLibTorchsOwnDoes) {
  for (const double size : {100.0, 0.01}) {  // far above the requested norm, and below it
    const std::vector<at::Tensor> ours = WithGradients(size), theirs = WithGradients(size),
                                  before = WithGradients(size);
    ClipGradients(GradientsOf(ours), 2);
    torch::nn::utils::clip_grad_norm_(theirs, 2);
    for (size_t i = 0; i < ours.size(); ++i) {
      // Each norm is a sum of 132 fp32 squares, and the order of addition differs.
      EXPECT_TRUE(at::allclose(ours[i].grad(), theirs[i].grad(), 132 * 0x1p-24, 0)) << i;
      EXPECT_EQ(at::equal(ours[i].grad(), before[i].grad()), size < 1) << i;
    }
  }
}

// The norm of (3, 4) and (12) together is 13. Everything is multiplied by 6.5 / (13 + 1e-6).
TEST(ClipGradientsTest, ByHand) {
  std::vector<at::Tensor> gradients = {at::tensor({3.0, 4.0}, at::kDouble), at::tensor({12.0}, at::kDouble)};
  ClipGradients(gradients, 6.5);
  const double scale = 6.5 / (13 + 1e-6);
  EXPECT_TRUE(at::allclose(gradients[0], at::tensor({3 * scale, 4 * scale}, at::kDouble), 1e-14, 0));
  EXPECT_TRUE(at::allclose(gradients[1], at::tensor({12 * scale}, at::kDouble), 1e-14, 0));
}

// w| = 5, |g| = 10: local = 0.5 * 5 / (10 + 0.25 * 5). If the gradient or the weights are 0, local is 1.
TEST(LarsTest, ByHand) {
  const std::vector<at::Tensor> weights = {at::tensor({3.0, 4.0}, at::kDouble), at::tensor({8.0}, at::kDouble),
                                           at::tensor({0.0}, at::kDouble)};
  std::vector<at::Tensor> gradients = {at::tensor({6.0, 8.0}, at::kDouble), at::tensor({0.0}, at::kDouble),
                                       at::tensor({2.0}, at::kDouble)};
  ScaleByLocalRates(weights, gradients, 0.5, 0.25);
  const double local = 0.5 * 5 / (10 + 0.25 * 5);
  EXPECT_TRUE(at::allclose(gradients[0], at::tensor({local * 6.75, local * 9}, at::kDouble), 1e-14, 0));
  EXPECT_TRUE(at::equal(gradients[1], at::tensor({2.0}, at::kDouble)));  // 0 + 0.25 * 8
  EXPECT_TRUE(at::equal(gradients[2], at::tensor({2.0}, at::kDouble)));
  ScaleByLocalRates({}, {}, 0.5, 0.25);  // does nothing
}

// Two layers, with one matrix each and one bias in all, updated by the formulas on plain numbers.
class Toy {
 public:
  explicit Toy(const SgdOptions& options) : options_(options) {}

  // Returns the gradients of a step, which are a function of the parameters.
  std::vector<std::vector<double>> Gradients() const {
    std::vector<std::vector<double>> gradients = parameters_;
    for (auto& gradient : gradients) {
      for (double& value : gradient) {
        value = 3 * value - 1;
      }
    }
    return gradients;
  }

  void Step() {
    auto gradients = Gradients();
    double squares = 0;
    for (const auto& gradient : gradients) {
      squares += std::pow(Norm(gradient), 2);
    }
    const double clip = options_.clip_norm == 0 ? 1 : std::min(1.0, options_.clip_norm / (std::sqrt(squares) + 1e-6));
    for (size_t p = 0; p < parameters_.size(); ++p) {
      const double weight = Norm(parameters_[p]), gradient = clip * Norm(gradients[p]);
      const bool layer = options_.lars != 0 && kShapes[p].size() > 1;
      const double local = layer ? options_.lars * weight / (gradient + options_.weight_decay * weight) : 1;
      const double decay = options_.lars == 0 || layer ? options_.weight_decay : 0;
      for (size_t i = 0; i < parameters_[p].size(); ++i) {
        const double gradient_with_decay = local * (clip * gradients[p][i] + decay * parameters_[p][i]);
        velocity_[p][i] = options_.momentum * velocity_[p][i] + gradient_with_decay;
        parameters_[p][i] -=
            options_.learning_rate *
            (options_.nesterov ? gradient_with_decay + options_.momentum * velocity_[p][i] : velocity_[p][i]);
      }
    }
  }

  const std::vector<std::vector<double>>& parameters() const { return parameters_; }

  const std::vector<std::vector<int64_t>> kShapes = {{2, 2}, {2}, {1, 2}};

 private:
  static double Norm(const std::vector<double>& values) {
    double squares = 0;
    for (const double value : values) {
      squares += value * value;
    }
    return std::sqrt(squares);
  }

  const SgdOptions options_;
  std::vector<std::vector<double>> parameters_ = {{1, -2, 0.5, 3}, {0.25, -1}, {2, 0.125}};
  std::vector<std::vector<double>> velocity_ = {{0, 0, 0, 0}, {0, 0}, {0, 0}};
};

void ExpectSgdFollows(const SgdOptions& options, bool rate_on_device) {
  SCOPED_TRACE(::testing::Message() << "clip " << options.clip_norm << ", lars " << options.lars << ", momentum "
                                    << options.momentum << ", rate on device " << rate_on_device);
  Toy toy(options);
  std::vector<at::Tensor> parameters;
  for (size_t p = 0; p < toy.parameters().size(); ++p) {
    parameters.push_back(at::tensor(toy.parameters()[p], at::kDouble).view(toy.kShapes[p]).requires_grad_());
  }
  Sgd sgd(parameters, options);
  if (rate_on_device) {
    sgd.ReadRateOnDevice(c10::Device(c10::kCPU));
  }
  for (int step = 0; step < 3; ++step) {
    const auto gradients = toy.Gradients();
    for (size_t p = 0; p < parameters.size(); ++p) {
      parameters[p].mutable_grad() = at::tensor(gradients[p], at::kDouble).view(toy.kShapes[p]);
    }
    ASSERT_THAT(sgd.Step(), IsOk());
    toy.Step();
    for (size_t p = 0; p < parameters.size(); ++p) {
      const at::Tensor expected = at::tensor(toy.parameters()[p], at::kDouble).view(toy.kShapes[p]);
      EXPECT_TRUE(at::allclose(parameters[p].detach(), expected, 1e-12, 1e-12)) << step << " " << p;
    }
  }
}

TEST(SgdForLargeBatchesTest, FollowsItsFormulas) {
  for (const double clip_norm : {0.0, 2.0, 1e6}) {
    for (const double lars : {0.0, 0.02}) {
      for (const double momentum : {0.0, 0.5}) {
        SgdOptions options = {0.125, momentum, 0.25, clip_norm, lars};  // fp32 holds this rate exactly
        ExpectSgdFollows(options, false);
        ExpectSgdFollows(options, true);
      }
    }
  }
}

TEST(SgdTest, NesterovFollowsItsFormula) {
  for (const double clip_norm : {0.0, 2.0}) {
    SgdOptions options = {0.125, 0.5, 0.25, clip_norm};
    options.nesterov = true;
    ExpectSgdFollows(options, false);
    ExpectSgdFollows(options, true);
  }
}

}  // namespace
}  // namespace lockstep
