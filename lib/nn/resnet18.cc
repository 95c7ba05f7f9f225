#include "lib/nn/resnet18.h"

#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/relu.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <utility>

#include "lib/nn/batch_norm.h"

namespace lockstep {
namespace {

using torch::nn::Conv2d;
using torch::nn::Conv2dOptions;

Conv2d MakeConv3x3(int64_t in, int64_t out, int64_t stride) {
  return Conv2d(Conv2dOptions(in, out, 3).stride(stride).padding(1).bias(false));
}

// Shortcut of a block that changes the shape: a 1x1 convolution and its batch norm. Sizes: (N, in, H, W) -> (N, out,
// H/2, W/2).
class ProjectionImpl : public torch::nn::Module {
 public:
  ProjectionImpl(int64_t in, int64_t out, int64_t stride)
      : conv_(register_module("0", Conv2d(Conv2dOptions(in, out, 1).stride(stride).bias(false)))),
        bn_(register_module("1", BatchNorm(out))) {}

  torch::Tensor forward(const torch::Tensor& x) { return bn_->forward(conv_->forward(x)); }

 private:
  Conv2d conv_;
  BatchNorm bn_;
};
TORCH_MODULE(Projection);

// Two 3x3 convolutions with a shortcut. Sizes: (N, in, H, W) -> (N, out, H/stride, W/stride). The ReLUs work in place:
// batch norm's backward pass needs its input, but never its output, so nothing is overwritten that is read later.
class BasicBlockImpl : public torch::nn::Module {
 public:
  BasicBlockImpl(int64_t in, int64_t out, int64_t stride)
      : conv1_(register_module("conv1", MakeConv3x3(in, out, stride))), bn1_(register_module("bn1", BatchNorm(out))),
        conv2_(register_module("conv2", MakeConv3x3(out, out, 1))), bn2_(register_module("bn2", BatchNorm(out))) {
    if (stride != 1 || in != out) {
      shortcut_ = register_module("shortcut", Projection(in, out, stride));
    }
  }

  torch::Tensor forward(const torch::Tensor& x) {
    torch::Tensor out = bn1_->forward(conv1_->forward(x)).relu_();
    out = bn2_->forward(conv2_->forward(out));
    out += shortcut_.is_empty() ? x : shortcut_->forward(x);
    return out.relu_();
  }

 private:
  Conv2d conv1_;
  BatchNorm bn1_;
  Conv2d conv2_;
  BatchNorm bn2_;
  Projection shortcut_{nullptr};
};
TORCH_MODULE(BasicBlock);

// Stage of two blocks; the first block changes the shape.
class StageImpl : public torch::nn::Module {
 public:
  StageImpl(int64_t in, int64_t out, int64_t stride)
      : first_(register_module("0", BasicBlock(in, out, stride))),
        second_(register_module("1", BasicBlock(out, out, 1))) {}

  torch::Tensor forward(const torch::Tensor& x) { return second_->forward(first_->forward(x)); }

 private:
  BasicBlock first_;
  BasicBlock second_;
};
TORCH_MODULE(Stage);

class ResNet18 : public Model {
 public:
  // Makes its members in the order of the Python network's constructor, so that both draw the same random weights.
  ResNet18()
      : conv1_(register_module("conv1", MakeConv3x3(kChannels, 64, 1))), bn1_(register_module("bn1", BatchNorm(64))),
        layer1_(register_module("layer1", Stage(64, 64, 1))), layer2_(register_module("layer2", Stage(64, 128, 2))),
        layer3_(register_module("layer3", Stage(128, 256, 2))), layer4_(register_module("layer4", Stage(256, 512, 2))),
        linear_(register_module("linear", torch::nn::Linear(512, kClasses))) {}

  torch::Tensor forward(torch::Tensor images) override {
    torch::Tensor x = bn1_->forward(conv1_->forward(images)).relu_();               // (N, 64, 32, 32)
    x = layer4_->forward(layer3_->forward(layer2_->forward(layer1_->forward(x))));  // (N, 512, 4, 4)
    return linear_->forward(at::avg_pool2d(x, 4).flatten(1));
  }

 private:
  Conv2d conv1_;
  BatchNorm bn1_;
  Stage layer1_;
  Stage layer2_;
  Stage layer3_;
  Stage layer4_;
  torch::nn::Linear linear_;
};

}  // namespace

std::shared_ptr<Model> MakeResNet18() { return std::make_shared<ResNet18>(); }

}  // namespace lockstep
