// The lab's small network: two 5x5 convolutions, three fully connected layers, max-pooling and ReLU between them.
// Images of 32 x 32 pixels and ten classes: 61,770 weights; with biases 62,006 parameters. Parameter names:
// conv1.weight ... fc3.weight, and with biases also conv1.bias ... fc3.bias.
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/relu.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include "lib/nn/model.h"

namespace lockstep {
namespace {

using torch::nn::Conv2d;
using torch::nn::Conv2dOptions;
using torch::nn::Linear;
using torch::nn::LinearOptions;

// Returns the pixels of one axis that are left after two 5x5 convolutions, each with a pooling by 2.
int64_t Left(int64_t pixels) { return ((pixels - 4) / 2 - 4) / 2; }

class LeNet5 : public Model {
 public:
  LeNet5(const ModelShape& shape, bool bias)
      : Model(shape), conv1_(register_module("conv1", Conv2d(Conv2dOptions(kChannels, 6, 5).bias(bias)))),
        conv2_(register_module("conv2", Conv2d(Conv2dOptions(6, 16, 5).bias(bias)))),
        fc1_(
            register_module("fc1", Linear(LinearOptions(16 * Left(shape.height) * Left(shape.width), 120).bias(bias)))),
        fc2_(register_module("fc2", Linear(LinearOptions(120, 84).bias(bias)))),
        fc3_(register_module("fc3", Linear(LinearOptions(84, shape.classes).bias(bias)))) {}

  torch::Tensor forward(torch::Tensor images) override {
    torch::Tensor x = at::max_pool2d(conv1_->forward(images).relu_(), 2);  // (N, 6, 14, 14) for 32 x 32
    x = at::max_pool2d(conv2_->forward(x).relu_(), 2).flatten(1);          // (N, 400) for 32 x 32
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

std::shared_ptr<Model> MakeLeNet5(const ModelShape& shape, const NetworkChoice&) {
  return std::make_shared<LeNet5>(shape, /*bias=*/false);
}

std::shared_ptr<Model> MakeLeNet5Bias(const ModelShape& shape, const NetworkChoice&) {
  return std::make_shared<LeNet5>(shape, /*bias=*/true);
}

}  // namespace lockstep
