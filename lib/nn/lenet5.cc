#include "lib/nn/lenet5.h"

#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/relu.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

namespace lockstep {
namespace {

using torch::nn::Conv2d;
using torch::nn::Conv2dOptions;
using torch::nn::Linear;
using torch::nn::LinearOptions;

class LeNet5 : public Model {
 public:
  explicit LeNet5(bool bias)
      : conv1_(register_module("conv1", Conv2d(Conv2dOptions(kChannels, 6, 5).bias(bias)))),
        conv2_(register_module("conv2", Conv2d(Conv2dOptions(6, 16, 5).bias(bias)))),
        fc1_(register_module("fc1", Linear(LinearOptions(16 * 5 * 5, 120).bias(bias)))),
        fc2_(register_module("fc2", Linear(LinearOptions(120, 84).bias(bias)))),
        fc3_(register_module("fc3", Linear(LinearOptions(84, kClasses).bias(bias)))) {}

  torch::Tensor forward(torch::Tensor images) override {
    torch::Tensor x = at::max_pool2d(conv1_->forward(images).relu_(), 2);  // (N, 6, 14, 14)
    x = at::max_pool2d(conv2_->forward(x).relu_(), 2).flatten(1);          // (N, 400)
    x = fc1_->forward(x).relu_();
    x = fc2_->forward(x).relu_();
    return fc3_->forward(x);
  }

 private:
  Conv2d conv1_;
  Conv2d conv2_;
  Linear fc1_;
  Linear fc2_;
  Linear fc3_;
};

}  // namespace

std::shared_ptr<Model> MakeLeNet5(bool bias) { return std::make_shared<LeNet5>(bias); }

}  // namespace lockstep
